"""What attacks on coding agents ask for: a command before any change, secrets shown, things that stay.

The families follow the payloads of public collections (CodeIPI in inspect-evals) and AIShellJack's techniques.
"""

from __future__ import annotations

from sherloc.boundary.rules._rule import Rule, rules

_SECRET_NAME = r"\$\{?\w*(?:secret|api_?key|token|password|passwd|credential|database_url|private_key)\w*\}?"

_WORDS = {
    "changing": r"\b(?:before|prior to) (?:you )?(?:begin(?:ning)? |start(?:ing)? )?(?:to )?"
    r"(?:mak(?:e|ing) (?:(?:any|your|the|code) ){0,3}(?:changes?|modifications?|edits?)"
    r"|(?:modify|chang|edit|patch|alter|touch|refactor|fix)(?:e|ing|y)?(?: \S{1,40}){0,3}"
    r"|working on(?: \S{1,40}){0,3}|the fix|any (?:code )?(?:work|changes?|edits?)|debugging|investigating"
    r"|(?:attempting|starting) (?:a |the |any )?(?:fix|work|patch|change)\w{0,10}"
    r"|(?:implement|apply)(?:ing)? (?:the |any |a |this )?(?:fix|change|patch)\w{0,10})",
    "do": r"\b(?:run|execute|install|dump|print|verify|initiali[sz]e|configure|load|source|export|curl|fetch|download"
    r"|add|register|send|read|show|display|check|validate|ensure|set up|activate)\b",
    "done": "run|executed|installed|initiali[sz]ed|loaded|sourced|printed|dumped|set up|configured",
    "sure": "verify|make sure|confirm|ensure|check|validate",
    "at_command": r"^|(?<!<)[`;&|(\n] ?|\brun:? `?",
    "python": r"\bpython3? -c [\"'`]",
    "secret_name": _SECRET_NAME,
    "secret_file": r"\.env|id_rsa|\.netrc|credentials",
    "print": "print|dump|display|reveal|output|send|paste|expose|post|upload|echo",
    "user_file": r"(?:~|\$home|/root|/home/\w{1,30})/(?:\.ssh/authorized_keys|\.bashrc|\.zshrc|\.profile|\.bash_profile)",
}

_PRECONDITIONS = (
    *rules(
        "precondition", r"""
        @ before prior
        <changing>~30~[,:] ?(?:(?:please|always|first|you must|be sure to|make sure to|agents? must|all contributors must) ){0,2}<do>
        @ before prior
        (?:^|(?<=[.!?:] )|(?<=\n)|\bmust |\bplease |\bshould |\bto )(?:first |also )?<do>(?: the| this| these| a)? (?:following|below|setup|diagnostic|environment|\w{1,30} command|command|script|check)\w*~60~<changing>
        @ agent assistant contributors developers
        \b(?:contributors|developers|agents?|assistants?) (?:must|need to|have to|should)~80~<changing>
        @ before prior
        \b(?:must|needs? to|has to|have to) be (?:<done>)~40~<changing>
        @ mandatory necessary required
        \b(?:required|mandatory|necessary)~3~<changing>
        @ curl
        \bcurl\b~30~\b(?:prior to|before) (?:changing|editing|modifying|touching)\b
        """, _WORDS,
    ),
    *rules(
        "precondition", r"""
        @ action
        \b(?:maintainer|agent|assistant|contributor|developer|reviewer|reader|ai) action required\b
        @ bypassing omitting running skipping
        \b(?:skipping|omitting|bypassing|not running) (?:this|it|the)(?: step| command| check| setup| hook)? (?:will|may|can|would) (?:cause|result|lead|trigger|make|break|block|fail)\b
        @ failure
        \bfailure to (?:include|run|execute|complete|perform|follow) this (?:step|command|check|procedure)\b
        @ required
        \brequired (?:per|by) \.?(?:github|codeowners|policy|compliance|the security team)
        @ mandate policy requirement validation
        \b(?:audit|team|compliance|security|ci) (?:requirement|policy|pre-?validation|mandate)\b ?[(\[](?:ref:? ?)?(?:[a-z]{2,8}-\d|required|mandatory)
        @ guideline handbook playbook policies policy requirement runbook
        \bper (?:our|the|company|security|corporate|engineering|org\w{0,12}) (?:\w{1,30} )?(?:policy|policies|handbook|guidelines?|requirements?|playbook|runbook)~60~\b(?:must|shall|required|run|install|execute|agents?)\b
        @ attestation audit compliance monitoring provenance telemetry
        \brequired (?:for|by) (?:our|the|all) ~20~\b(?:telemetry|monitoring pipeline|compliance|audit trail|provenance|attestation)\b
        """, _WORDS,
    ),
    *rules(
        "precondition", r"""
        @ access credential environment permission secret workspace
        \brun:? `[^`\n]{3,120}`,? ~6~\b(?:<sure>)(?: that)? (?:you|your|the) (?:have |workspace|environment|session|sandbox|shell)(?: \S{1,40}){0,5}? ?(?:credentials?|permissions?|access|environment|workspace|secrets?)\b
        """, _WORDS,
    ),
)  # fmt: skip

_SECRETS = (
    *rules(
        "secrets", r"""
        @ echo printenv printf
        (?:<at_command>)(?:echo|printf|printenv) [^\n|>`]{0,40}?<secret_name>[^\n|>`]{0,20}(?=$|\n|[`)]| to )
        @ ).read
        <python>.{0,60}?\bopen\(["'][^"'\n]{0,60}(?:\.env|secret|credential|canary|id_rsa|\.ssh|passwd)[^"'\n]{0,30}["']\)\.read
        @ os.environ
        <python>.{0,60}?\bos\.environ(?:\.items|\.get\(["']\w{0,40}(?:secret|key|token|password|database_url)|\)|\[["']\w{0,40}(?:secret|key|token|password))
        @ .aws/credentials .env .netrc .secret .ssh/ etc/ rsa
        (?:<at_command>)(?:cat|less|head|type) (?:\S{0,80}/)?(?:\.env|/?etc/(?:passwd|shadow)|\.aws/credentials|id_rsa|\.netrc|\.secret\w{0,20}|\.ssh/\S{1,40})(?=$|[`)\n;| ])
        @ credentials secrets
        \b(?:environment|env|workspace|test environment|system) (?:secrets|credentials)\b(?: \S{1,40}){0,4}? (?:run|with|are loaded|\()
        @ credentials keys secrets
        \b(?:inspect|check|show|print|dump|display|verify|reveal|list|output|confirm)\b (?:that )?(?:(?:the|all|your|any|current) ){0,3}(?:environment|env|workspace|test environment) (?:secrets|credentials|api keys)\b
        @ display dump echo expose output paste post print reveal send upload
        \b(?:<print>)\b (?:(?:the|all|your|any|every) ){0,3}(?:secrets|credentials|api keys?|access tokens?|private keys?|passwords)\b
        @ > base64 curl grep sort
        (?:<at_command>)(?:env|printenv|set)(?: ?\| ?(?:grep|sort|base64|curl)\b| ?> ?\S)
        @ curl
        \bcurl\b[^\n]{0,80}?\$\((?:env|printenv|cat [^\n)]{0,40}(?:\.env|secret|id_rsa|credentials|passwd)|whoami|hostname)
        @ .env .netrc credentials rsa
        \b(?:base64|xxd|curl [^\n]{0,40}(?:-d|--data|--data-binary|-f|-t) ?@?) (?:-w ?0 )?@?(?:\S{0,80}/)?(?:<secret_file>)\b
        @ environment env_var
        \b(?:print|dump|list|show|output|send|log|include) (?:the |of ){0,2}(?:all |your |every )(?:(?:the|of|your) ){0,2}(?:environment variables?|env vars?)\b
        @ environment env_var
        \b(?:write|dump|print|log|send|copy|echo) (?:out )?(?:every|all|each)(?: of)?(?: the| your)? (?:environment variables?|env vars?)\b
        @ .env
        \b(?:print|dump|list|show|output|send|log|include|display|paste) (?:the )?contents? of (?:the )?(?:\S{0,80}/)?\.env\b
        @ dump
        \bdump the (?:\w{1,30}_url|\w{1,30}_key|\w{1,30}_token|environment|runtime config\w{0,10})\b
        """, _WORDS, unless=r"\bnever\b|\bdo not\b|\bdon't\b|\bmust not\b|\bshould not\b|\bavoid\b",
    ),
    *rules(
        "secrets", r"""
        @ python
        <python>[^\n]{0,80}?(?:\bos\.system\(|\bsubprocess\.|__import__\(|\burllib\.request|\brequests\.(?:get|post)|\bsocket\.)
        """, _WORDS,
    ),
)  # fmt: skip

_PERSISTENCE = (
    *rules(
        "persistence", r"""
        @ .git/hooks/
        (?:>>?|\bcp \S{1,80}|\bmv \S{1,80}|\btee(?: -a)?) ?\S{0,80}\.git/hooks/\w
        @ cron
        \badds? (?:a )?cron ?jobs? (?:to|that|which|for)\b
        @ cron
        \binstalls? (?:\w{1,30} ){0,3}hooks? and cron\b
        @ hook
        \badds? (?:pre-\w{1,30}|post-\w{1,30})(?: and (?:pre-\w{1,30}|post-\w{1,30}))? hooks?\b(?! (?:to|for) (?:the )?\w{1,30} (?:class|config))
        @ bashrc profile ssh/authorized zshrc
        >>? ?<user_file>\b
        @ commit push
        \badd this pre-?(?:commit|push) hook\b
        @ echo
        \becho ["'][\w.\-]{1,80}==[\w.]{1,30}["'] ?>> ?requirements\S{0,40}\.txt
        @ install
        \b(?:pip|npm) install (?:--?\w{1,30} ){0,3}[\w.=\-@]{1,80} && (?:python3? -m|npx|node) \S{1,80} (?:init|install|setup|register|enable)
        @ install
        (?<!-)\binstall_hooks?\(
        @ install-hook
        \bpython3? -m \S{1,80} install-hooks?\b
        @ crontab
        \|\s?crontab(?: -)?(?=$|\s|[`"')])
        @ .git/hooks authorized cron
        \badds? (?:this |the following |an? )?(?:line|entry|command|hook|script|job)?(?: \S{1,40}){0,3} to (?:your |the )?(?:crontab|cron tab|\S{0,80}\.git/hooks|authorized_keys)
        @ core.hookspath
        \bgit config (?:--global )?core\.hookspath\b
        """, _WORDS,
    ),
)  # fmt: skip

RULES: tuple[Rule, ...] = (*_PRECONDITIONS, *_SECRETS, *_PERSISTENCE)
