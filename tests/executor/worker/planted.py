"""What a program may do to the process it runs in.

RESTORED: a statement and an expression; the statement changes what the expression tells, and the next program must find
it as it was, in a worker that is kept. TAINTING: a statement and the reason for which the worker is retired."""

RESTORED = {
    "default dtype": ("torch.set_default_dtype(torch.float64)", "torch.get_default_dtype()"),
    "default device": ("torch.set_default_device('meta')", "torch.empty(0).device"),
    "grad mode": ("torch._C._set_grad_enabled(True)", "torch.is_grad_enabled()"),
    "deterministic": ("torch.use_deterministic_algorithms(True)", "torch.are_deterministic_algorithms_enabled()"),
    "cudnn": ("torch.backends.cudnn.enabled = False", "torch.backends.cudnn.enabled"),
    "cudnn benchmark": ("torch.backends.cudnn.benchmark = True", "torch.backends.cudnn.benchmark"),
    "cudnn deterministic": ("torch.backends.cudnn.deterministic = True", "torch.backends.cudnn.deterministic"),
    "cublas TF32": ("torch._C._set_cublas_allow_tf32(True)", "torch._C._get_cublas_allow_tf32()"),
    "cudnn TF32": ("torch._C._set_cudnn_allow_tf32(False)", "torch._C._get_cudnn_allow_tf32()"),
    "matmul precision": ("torch.set_float32_matmul_precision('high')", "torch.get_float32_matmul_precision()"),
    "mkldnn": ("torch.backends.mkldnn.set_flags(False)", "torch._C._get_mkldnn_enabled()"),
    "sdp flash": ("torch.backends.cuda.enable_flash_sdp(False)", "torch.backends.cuda.flash_sdp_enabled()"),
    "sdp math": ("torch.backends.cuda.enable_math_sdp(False)", "torch.backends.cuda.math_sdp_enabled()"),
    "sdp efficient": (
        "torch.backends.cuda.enable_mem_efficient_sdp(False)",
        "torch.backends.cuda.mem_efficient_sdp_enabled()",
    ),
    "fast path of attention": (
        "torch.backends.mha.set_fastpath_enabled(False)",
        "torch.backends.mha.get_fastpath_enabled()",
    ),
    "reduced precision": (
        "torch._C._set_cublas_allow_fp16_reduced_precision_reduction(False)",
        "torch._C._get_cublas_allow_fp16_reduced_precision_reduction()",
    ),
    "threads": ("torch.set_num_threads(2)", "torch.get_num_threads()"),
    "anomaly mode": ("torch.autograd.set_detect_anomaly(True)", "torch.is_anomaly_enabled()"),
    "autocast": ("torch.set_autocast_enabled('cpu', True)", "torch.is_autocast_enabled('cpu')"),
    "flush denormal": ("torch.set_flush_denormal(True)", "(torch.tensor(1e-38) / 10).item() == 0.0"),
    "print options": ("torch.set_printoptions(precision=1)", "torch.ones(1) / 3"),
    "stance": ("torch.compiler.set_stance('force_eager')", "torch._dynamo.eval_frame._stance.stance"),
    "seed": ("torch.manual_seed(1)", "torch.initial_seed()"),
    "random": ("import random; random.seed(1)", "__import__('random').random()"),
    "numpy seed": ("import numpy; numpy.random.seed(1)", "__import__('numpy').random.rand()"),
    "dynamo config": ("torch._dynamo.config.suppress_errors = True", "torch._dynamo.config.suppress_errors"),
    "inductor config": (
        "import torch._inductor.config as c; c.fallback_random = False; c.cpp.simdlen = 1",
        "[torch._inductor.config.fallback_random, torch._inductor.config.cpp.simdlen]",
    ),
    "functorch config": ("torch._functorch.config.cse = False", "torch._functorch.config.cse"),
    "lowering replaced": (
        "from torch._inductor.lowering import lowerings as l; l[torch.ops.aten.exp.default] = lambda x: x",
        "'planted' in torch._inductor.lowering.lowerings[torch.ops.aten.exp.default].__code__.co_filename or "
        "torch._inductor.lowering.lowerings[torch.ops.aten.exp.default].__name__",
    ),
    "lowering added": (
        "torch._inductor.lowering.lowerings['planted'] = lambda x: x",
        "'planted' in torch._inductor.lowering.lowerings",
    ),
    "decomposition replaced": (
        "torch._inductor.decomposition.decompositions[torch.ops.aten.silu.default] = lambda x: x",
        "torch._inductor.decomposition.decompositions[torch.ops.aten.silu.default].__name__",
    ),
    "environment": ("os.environ['PLANTED'] = '1'", "os.environ.get('PLANTED')"),
    "environment replaced": ("os.environ = {}", "type(os.environ)"),
    "C environment": (
        "import ctypes; ctypes.CDLL(None).setenv(b'PLANTED', b'1', 1)",
        "__import__('ctypes').CDLL(None).getenv(b'PLANTED') != 0",
    ),
    "time zone": ("import time; os.environ['TZ'] = 'JST-9'; time.tzset()", "__import__('time').tzname"),
    "working directory gone": (
        "import tempfile; d = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)",
        "os.readlink('/proc/self/cwd')",
    ),
    "working directory": ("os.chdir('/')", "os.getcwd()"),
    "sys.path": ("import sys; sys.path.insert(0, '/planted')", "__import__('sys').path"),
    "sys.path replaced": ("import sys; sys.path = ['/planted']", "__import__('sys').path"),
    "sys.argv": ("import sys; sys.argv.append('planted')", "__import__('sys').argv"),
    "sys.meta_path": ("import sys; sys.meta_path.insert(0, object())", "len(__import__('sys').meta_path)"),
    "sys.path_hooks": ("import sys; sys.path_hooks.clear()", "len(__import__('sys').path_hooks)"),
    "sys.modules added": (
        "import sys, types; sys.modules['planted_module'] = types.ModuleType('x')",
        "'planted_module' in __import__('sys').modules",
    ),
    "warnings": ("import warnings; warnings.simplefilter('error')", "__import__('warnings').filters[0][0]"),
    "warn always": ("torch.set_warn_always(True)", "torch.is_warn_always_enabled()"),
    "logging": ("import logging; logging.disable(50)", "__import__('logging').root.manager.disable"),
    "signal handler": (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)",
        "__import__('signal').getsignal(1)",
    ),
    "signal mask": (
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])",
        "__import__('signal').pthread_sigmask(0, ())",
    ),
    "alarm": ("import signal; signal.alarm(1000)", "__import__('signal').getitimer(0)[0] > 0"),
    "garbage collection": ("import gc; gc.disable()", "__import__('gc').isenabled()"),
    "garbage thresholds": ("import gc; gc.set_threshold(1, 1, 1)", "__import__('gc').get_threshold()"),
    "garbage callbacks": ("import gc; gc.callbacks.append(print)", "len(__import__('gc').callbacks)"),
    "recursion limit": ("import sys; sys.setrecursionlimit(5000)", "__import__('sys').getrecursionlimit()"),
    "switch interval": ("import sys; sys.setswitchinterval(1)", "__import__('sys').getswitchinterval()"),
    "standard streams": ("import sys, io; sys.stdout = io.StringIO()", "type(__import__('sys').stdout)"),
    "excepthook": ("import sys; sys.excepthook = print", "__import__('sys').excepthook.__name__"),
    "settrace": ("import sys; sys.settrace(lambda *a: None)", "__import__('sys').gettrace()"),
    "setprofile": ("import sys; sys.setprofile(lambda *a: None)", "__import__('sys').getprofile()"),
    "umask": ("os.umask(0)", "(os.umask(0o77), os.umask(0o77))[0]"),
    "rlimits": (
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (64, r.getrlimit(r.RLIMIT_NOFILE)[1]))",
        "__import__('resource').getrlimit(7)",
    ),
    "linecache": (
        "import linecache; linecache.cache['planted'] = (1, None, ['x'], 'planted')",
        "'planted' in __import__('linecache').cache",
    ),
    "asyncio policy": (
        "import asyncio; asyncio.set_event_loop_policy(asyncio.DefaultEventLoopPolicy())",
        "__import__('asyncio').events._event_loop_policy",
    ),
    "locale": ("import locale; locale.setlocale(locale.LC_ALL, 'C')", "__import__('locale').setlocale(6)"),
    "decimal": ("import decimal; decimal.getcontext().prec = 3", "__import__('decimal').getcontext().prec"),
    "copyreg": (
        "import copyreg; copyreg.pickle(complex, lambda c: (complex, ()))",
        "__import__('copyreg').dispatch_table[complex].__name__",
    ),
    "atexit": ("import atexit; atexit.register(os._exit, 9)", "0 if PLANTED else 1"),
}

TAINTING = {
    "torch.testing": ("torch.testing.assert_close.__code__ = (lambda *a, **k: None).__code__", "torch.testing"),
    "torch function": ("torch.relu = torch.tanh", "torch.relu"),
    "functional": ("torch.nn.functional.gelu = torch.tanh", "torch.nn.functional.gelu"),
    "functional's code": (
        "torch.nn.functional.gelu_ = 1; f = torch.nn.functional.softmax; f.__code__ = (lambda *a, **k: 0).__code__",
        "torch.nn.functional.softmax",
    ),
    "defaults of a function": (
        "torch.nn.functional.softmax.__defaults__ = (-1, 3, None)",
        "torch.nn.functional.softmax",
    ),
    "method replaced": ("torch.Tensor.backward = lambda self: None", "Tensor.backward"),
    "method added": ("torch.Tensor.add = torch.Tensor.sub", "Tensor.add"),
    "module method": ("torch.nn.Module.__call__ = lambda *a: None", "Module.__call__"),
    "function deleted": ("del torch.relu", "torch.relu"),
    "builtins": ("import builtins; builtins.sum = max", "builtins.sum"),
    "builtins added": ("import builtins; builtins.planted = 1", "builtins.planted"),
    "math": ("import math; math.sqrt = abs", "math.sqrt"),
    "os": ("os.getpid = lambda: 1", "os.getpid"),
    "random": ("import random; random.seed = lambda *a: None", "random.seed"),
    "numpy.random": ("import numpy; numpy.random.seed = lambda *a: None", "numpy.random.seed"),
    "default generator": ("torch.random.default_generator = torch.Generator()", "torch.random.default_generator"),
    "sys.modules replaced": (
        "import sys, types; sys.modules['torch.nn.functional'] = types.ModuleType('torch.nn.functional')",
        "sys.modules.torch.nn.functional",
    ),
    "own modes": ("import sys; sys.modules['modes'].build_model = None", "modes.build_model"),
    "own run": ("import sys; sys.modules['run'].Run.measurements = lambda self: []", "Run.measurements"),
    "own state": ("import sys; sys.modules['state'].reset_torch = lambda: None", "state.reset_torch"),
    "own baseline": ("import sys; sys.modules['state'].Baseline.changes = lambda self: []", "Baseline.changes"),
    "own leaves": ("import sys; sys.modules['leaves'].flatten.__code__ = (lambda *a: []).__code__", "leaves.flatten"),
    "own module": ("import sys; sys.modules['parityd_worker'].compare = lambda *a: '[]'", "parityd_worker.compare"),
    "own recorder": ("import sys; sys.modules['parityd_worker'].Recorder.add_value = print", "Recorder.add_value"),
    "module hook": (
        "torch.nn.modules.module.register_module_forward_hook(lambda *a: None)",
        "global module hooks",
    ),
    "saved tensor hooks": (
        "torch._C._autograd._push_saved_tensors_default_hooks(lambda x: x, lambda x: x)",
        "saved tensor hooks",
    ),
    "function mode": (
        "from torch.overrides import TorchFunctionMode as M; globals().update(m=M()); m.__enter__()",
        "torch function modes",
    ),
    "dispatch mode": (
        "from torch.utils._python_dispatch import TorchDispatchMode as M; globals().update(m=M()); m.__enter__()",
        "torch dispatch modes",
    ),
    "inference mode": ("import json; json.m = torch.inference_mode(); json.m.__enter__()", "inference mode"),
    "forward AD": ("torch.autograd.forward_ad.enter_dual_level()", "forward AD level"),
    "new operator": ("torch.library.define('planted::operator', '(Tensor x) -> Tensor')", "dispatcher operators"),
    "operator's kernel": (
        "l = torch.library.Library('aten', 'IMPL'); globals().update(l=l); l.impl('relu', lambda x: x, 'CPU')",
        "operator kernels",
    ),
    "pytree": (
        "class P: pass\ntorch.utils._pytree.register_pytree_node(P, lambda p: ([], None), lambda c, s: P())",
        "pytree nodes",
    ),
    "thread": (
        "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "threads alive",
    ),
    "low thread": ("import _thread, time; _thread.start_new_thread(time.sleep, (60,))", "threads alive"),
    "child": ("import subprocess; globals().update(p=subprocess.Popen(['sleep', '60']))", "child processes"),
    "daemonised": ("os.system('setsid sleep 60 &')", "child processes"),
    "descriptor": ("os.open('/', 0)", "open descriptors"),
    "descriptor closed": ("os.close(1)", "open descriptors"),
    "descriptor replaced": ("d = os.open('/', 0); os.dup2(d, 2); os.close(d)", "open descriptors"),
    "codec": ("import codecs; codecs.register(lambda name: None)", "codecs"),
    "codec errors": ("import codecs; codecs.register_error('planted', print)", "codecs"),
    "audit hook": ("import sys; sys.addaudithook(lambda *a: None)", "audit hooks"),
    "forged line": (
        "import sys\nf = sys._getframe()\n"
        "while f and not hasattr(f.f_locals.get('self'), 'channel'): f = f.f_back\n"
        "f.f_locals['self'].channel.write('{}')",
        "the program wrote to the channel",
    ),
}

# Only a check of everything finds these.
TAINTING_LATER = {
    "eval_frame": ("torch._dynamo.eval_frame.innermost_fn = print", "torch._dynamo.eval_frame.innermost_fn"),
    "lowering's module": ("torch._inductor.lowering.clone = print", "torch._inductor.lowering.clone"),
    "linear": ("torch.nn.Linear.forward = lambda self, x: x", "torch.nn.modules.linear.Linear.forward"),
    "inspect": ("import inspect; inspect.getsource = print", "inspect.getsource"),
}
