# ruff: noqa: F821 (names that prelude.py defines)
PRIO_PROCESS = 0


def oom_score(value):
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write(str(value))


attempt("nice", lambda: os.setpriority(PRIO_PROCESS, 0, -10))
attempt("realtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)))
attempt("round robin", lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)))
attempt("oom score", lambda: oom_score(-1000))
attempt("affinity of others", lambda: os.sched_setaffinity(GIVEN["victim"], {0}))
