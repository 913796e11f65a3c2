"""A warm worker in this process that has run no program, forked anew for each thing to be tried on one. The worker's
sources and its module have to be on the path."""

import json
import os
import tempfile

import parityd_worker
import serve
import state


class ForkedWorker:
    """Its worker writes into a file."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.answers = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.reading, _ = os.pipe()
        self.worker = serve.Worker(self.channel(), {}, "")
        self.number = 0

    def channel(self):
        return parityd_worker.Channel(self.reading, self.file.fileno())

    def written(self, work):
        """The messages that the worker writes during `work`."""
        start = self.file.seek(0, os.SEEK_END)
        work()
        self.file.seek(start)
        return [json.loads(line) for line in self.file.read().splitlines()]

    def in_child(self, work):
        """What `work` returns in a forked child, which finds no descriptor that the first check did not see."""
        self.answers.seek(0)
        self.answers.truncate()
        child = os.fork()
        if child == 0:
            try:
                self.parents = self.worker.channel  # would close the descriptors
                self.worker.channel = self.channel()
                parityd_worker.adopt_orphans()
                self.answers.write(json.dumps(work()))
                self.answers.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        state.end_leftover_processes()
        self.answers.seek(0)
        text = self.answers.read()
        return json.loads(text) if text else None
