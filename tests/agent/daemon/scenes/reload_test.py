"""Fault 38 and the recovery of fault 28: SIGHUP takes over a new configuration or keeps the old one whole."""

import pathlib
import signal

from scene import Scene, main, wait_for
from service_scene import end, events, finished, idle, one, send


def change(scene: Scene, old: str, new: str) -> None:
    text = scene.config.read_text()
    assert old in text, text
    scene.config.write_text(text.replace(old, new))


def reload(scene: Scene, daemon: object, what: str) -> str:
    """The event of that kind which a reload leads to."""
    before = len(events(scene, what))
    send(daemon, signal.SIGHUP)
    wait_for(f"the event {what}", lambda: len(events(scene, what)) > before)
    return events(scene, what)[-1]


def invalid(parityd: str, folder: pathlib.Path) -> None:
    """The old one stays, named with file and line; the next valid one is taken."""
    scene = Scene(parityd, folder, 0)
    daemon = idle(scene)
    good = scene.config.read_text()
    lines = [*good.splitlines(), "[oracle]", "confirmation_rounds = 99"]
    scene.config.write_text("\n".join(lines) + "\n")
    said = reload(scene, daemon, "config_refused")
    assert f"{scene.config}:{len(lines)}: oracle.confirmation_rounds" in said, said
    assert "the old one stays" in said, said
    scene.config.write_text(good + "[oracle\n")
    assert f"{scene.config}:{len(good.splitlines()) + 1}: " in reload(scene, daemon, "config_refused")
    scene.config.unlink()
    assert f"{scene.config}: cannot be read" in reload(scene, daemon, "config_refused")
    assert events(scene, "reloaded") == []
    scene.config.write_text(good + "[oracle]\nconfirmation_rounds = 2\n\n[queue]\ndrafts_per_day = 1\n")
    said = reload(scene, daemon, "reloaded")
    assert "oracle.confirmation_rounds, queue.drafts_per_day" in said, said
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)


def restart(parityd: str, folder: pathlib.Path) -> None:
    """What is settled at the start is named, and what is live beside it counts."""
    scene = Scene(parityd, folder, 0)
    daemon = idle(scene)
    change(scene, "workers = 2", "workers = 3")
    change(scene, "mutant_share = 0", "mutant_share = 0.5")
    said = reload(scene, daemon, "needs_restart")
    assert said.startswith("executor.workers has changed"), said
    assert "run.mutant_share" in events(scene, "reloaded")[-1]
    assert "executor" not in events(scene, "reloaded")[-1]
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)


def confirmation_rounds(parityd: str, folder: pathlib.Path) -> None:
    """A value read again is used: suspects after the reload go through two rounds in place of three."""
    scene = Scene(parityd, folder, 0)
    daemon = idle(scene)
    scene.config.write_text(scene.config.read_text() + "\n[oracle]\nconfirmation_rounds = 2\n")
    reload(scene, daemon, "reloaded")
    scene.queue("value eager=1.0 inductor=2.0 reference=1.0 inductor_fp64=2.0 inductor_precise=2.0 aot_eager=1.0")
    wait_for("the finding", lambda: one(scene, "SELECT count(*) FROM findings") == 1)
    assert one(scene, "SELECT rounds FROM findings") == 2
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)


def new_key(parityd: str, folder: pathlib.Path) -> None:
    """A key that is refused stops the only provider; the daemon stays, and goes on with the key that a reload reads."""
    key_file = folder / "key"
    key_file.touch(mode=0o600)
    key_file.write_text("sk-wrong-000000000001\n")
    scene = Scene(parityd, folder, 20, more=f'api_key_file = "{key_file}"\n', key="sk-right-000000000002")
    daemon = scene.daemon()
    wait_for("the provider to stop", lambda: len(events(scene, "no_provider")) == 1)
    assert "401" in events(scene, "provider_stopped")[0]
    key_file.write_text("sk-ri ght\n")  # what no key looks like: refused before anything is sent
    assert "api_key_file" in reload(scene, daemon, "config_refused")
    assert finished(scene) == 0
    key_file.write_text("sk-right-000000000002\n")
    reload(scene, daemon, "reloaded")
    wait_for("programs", lambda: finished(scene) > 3)
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)
    assert "sk-" not in text, text


def credential(parityd: str, folder: pathlib.Path) -> None:
    """A key in $CREDENTIALS_DIRECTORY, as LoadCredential= leaves it: an access list looks like a group."""
    key = "sk-credential-00000003"
    scene = Scene(parityd, folder, 20, more='api_key_credential = "standin"\n', key=key)
    said = scene.run("run", "--programs", "1", expect=3)
    assert "LoadCredential=standin:FILE" in said, said
    (folder / "credentials").mkdir()
    file = folder / "credentials/standin"
    file.write_text(key + "\n")
    scene.environment["CREDENTIALS_DIRECTORY"] = str(folder / "credentials")
    file.chmod(0o444)
    said = scene.run("run", "--programs", "1", expect=3)
    assert "only this service can read" in said, said
    file.chmod(0o440)
    scene.run("run", "--programs", "2")
    assert finished(scene) >= 2


if __name__ == "__main__":
    main(
        {
            "invalid": invalid,
            "restart": restart,
            "confirmation_rounds": confirmation_rounds,
            "new_key": new_key,
            "credential": credential,
        }
    )
