"""The group of commands, their exit codes, and the one line that tells an error."""

from __future__ import annotations

import click

from oddrank import __version__
from oddrank.cli.commands.ask import ask
from oddrank.cli.commands.demo import demo
from oddrank.cli.commands.doctor import doctor
from oddrank.cli.commands.evaluate import evaluate
from oddrank.cli.commands.importance import importance
from oddrank.cli.commands.rank import rank
from oddrank.cli.commands.score import score
from oddrank.cli.commands.tune import tune
from oddrank.cli.common_options import example
from oddrank.cli.stopping import stops
from oddrank.cli.streams import is_closed_pipe, leave_closed_pipe, spell_missing_signs
from oddrank.cli.terminal import complain
from oddrank.errors import OddrankError

__all__ = ["application", "run"]

DONE, BAD_INPUT = 0, 2


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=example("oddrank demo", "oddrank rank data.csv --html report.html")
    + "\n\nExit codes: 0 done; 2 bad input, nothing could be ranked, or a file could not be "
    "written; 130 and 143 stopped.",
)
@click.version_option(__version__, prog_name="oddrank")
def application() -> None:
    """Find odd rows, and which anomaly detectors to trust, without labels."""


for _command in (rank, ask, score, tune, importance, evaluate, demo, doctor):
    application.add_command(_command)


def run(arguments: list[str] | None = None) -> int:
    """Run a command; whatever is wrong with the input is one line on stderr."""
    spell_missing_signs()
    with stops() as stop:
        try:
            return _run(arguments)
        except (click.exceptions.Abort, KeyboardInterrupt):
            return _say(stop.sentence, stop.code)
        finally:
            leave_closed_pipe()


def _run(arguments: list[str] | None) -> int:
    try:
        result = application.main(arguments, prog_name="oddrank", standalone_mode=False)
    except (BrokenPipeError, SystemExit) as error:
        if not is_closed_pipe(error):
            raise
        return DONE
    except click.UsageError as error:
        # click 8.2 and later raise the whole help where no command is named
        if type(error).__name__ == "NoArgsIsHelpError":
            click.echo(error.format_message())
            return DONE
        return _say(_sentence(error), BAD_INPUT)
    except (click.ClickException, OddrankError, OSError) as error:
        return _say(_sentence(error), BAD_INPUT)
    return result if isinstance(result, int) else DONE


def _sentence(error: Exception) -> str:
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "oddrank"
        return f"{error.format_message()} See: {command} --help"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError) and not isinstance(error, OddrankError):
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror or error}{where}. Check the path."
    return str(error)


def _say(message: str, code: int) -> int:
    complain(message)
    return code
