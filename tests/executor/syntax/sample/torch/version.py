__version__ = "9.1.0+sample"
