"""`dpbandits completion SHELL`: commands, options and names by the Tab key.

The shell asks `dpbandits completion words [COMMAND]`, so what a plug-in brings is known at once.
"""

import re

from dpbandits.cli import LISTED, MADE

NAMES = dict.fromkeys(("check", "refute"), "claims")
NAMES |= dict.fromkeys(("audit", "bound", "calibrate"), "mechanisms")
NAMES |= {"simulate": "algorithms", "draw": "figures"}
WORDS = {"list": LISTED, "new": MADE}
SCRIPTS = {  # where it says how to load it, the second line is for the shell's own start-up file
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
        print(SCRIPTS[options.shell])


def words(command: str | None, commands) -> list[str]:
    """What may stand after a command; without one, the commands."""
    from dpbandits.cli import listing

    if command is None:
        return list(commands)
    found = list(WORDS.get(command, ()))
    if command in NAMES:
        found += listing.names(NAMES[command])
    usage = commands[command].format_help() if command in commands else ""
    return found + sorted({*re.findall(r"(?<![\w-])--[a-z-]+", usage)})
