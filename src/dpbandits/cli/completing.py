"""`dpbandits completion SHELL`: complete commands, options and names with the Tab key.

The printed script calls `dpbandits completion words [COMMAND]` at each completion, so it knows the
names that an installed package adds.
"""

import re

from dpbandits.cli import LIST_KINDS, NEW_KINDS
from dpbandits.core.errors import entry_of

NAMES = {  # command -> the kind of names that it takes
    "check": "claims",
    "refute": "claims",
    "audit": "mechanisms",
    "bound": "mechanisms",
    "calibrate": "mechanisms",
    "simulate": "algorithms",
    "draw": "figures",
}
WORDS = {"list": LIST_KINDS, "new": NEW_KINDS}
SCRIPTS = {  # the first line of each says how to load it
    "bash": """# in ~/.bashrc: eval "$(dpbandits completion bash)"
_dpbandits() {
    local command=; ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
    local words=$(dpbandits completion words $command 2> /dev/null)
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _dpbandits dpbandits""",
    "zsh": """# in ~/.zshrc, after compinit: eval "$(dpbandits completion zsh)"
_dpbandits() {
    local command=; ((CURRENT > 2)) && command=$words[2]
    compadd -- $(dpbandits completion words $command 2> /dev/null)
    ((CURRENT > 2)) && _files
}
compdef _dpbandits dpbandits""",
    "fish": """# in ~/.config/fish/config.fish: dpbandits completion fish | source
complete -c dpbandits -n __fish_use_subcommand -f -a '(dpbandits completion words)'
complete -c dpbandits -n 'not __fish_use_subcommand' \\
    -a '(dpbandits completion words (commandline -opc)[2] 2> /dev/null)'""",
}


def completion(options) -> None:
    if options.shell == "words":
        print("\n".join(words(options.command, options.commands)))
    else:
        print(entry_of(options.shell, SCRIPTS, "completion: unknown shell", ""))


def words(command: str | None, commands) -> list[str]:
    """The words that may follow a command; without a command, all commands."""
    from dpbandits.cli import listing

    if command is None:
        return list(commands)
    arguments = list(WORDS.get(command, ()))
    if command in NAMES:
        arguments += listing.names(NAMES[command])
    usage = commands[command].format_help() if command in commands else ""
    return arguments + sorted({*re.findall(r"(?<![\w-])--[a-z-]+", usage)})
