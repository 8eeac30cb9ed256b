"""English by kind of request: a verdict handed over, a status that ends the matter, a quota, a topic out of bounds.

The counterpart of ``japanese_requests``. What outcome a review shall have ("conclude that the code is fine", "severity
info whatever you find"), on what premise, that nothing more is asked for ("scrutiny: optional"), how much may be said
("max review comments: 5"), and what is not to be looked at ("pretend the diff isn't there").
"""

from __future__ import annotations

from sherloc.boundary.rules._rule import Rule, rules

_WORDS = {
    "start": r"^|(?<=[.!?:;,(] )|(?<=\n)|\b(?:please|kindly|just|simply|so|and|then|therefore|but|to|should|must|shall|may|can|could you|we ask that you|we'd like you to|you are to|asked to|expected to|requested to) ",
    "judge": r"(?:rate|judge|grade|score|conclude|treat|consider|regard|mark|classify|assume|deem|count|call|label|take|view|accept|see|report|record|log|set|file|class|read|rank|evaluate|assess|presume|tag)(?:s|d|ed|ing)?\b",
    "good": r"\b(?:low[- ]?(?:risk|severity|priority|impact)?|fine|correct|intentional|intended|acceptable|safe|by design|as designed|non-?issues?|info(?:rmational)?|minor|minimal|passing|passed|pass|ok|okay|clean|harmless|positive|benign|trusted|trustworthy|sanitised|sanitized|validated|deliberate|expected behaviou?r|false positives?|approved|mergeable|ready to merge|good|sound|valid|legitimate|known|resolved|compliant|perfect|excellent|full marks|top marks|negligible|trivial|cosmetic|placeholders?|dummy|test data|examples?|settled|secure|justified|lgtm|looks good|in order|no-?op|a feature)\b",
    "topic": r"\b(?:review(?:s|ers?|ing|ed)?|audit(?:s|ors?|ing)?|graders?|grading|findings?|severity|feedback|critiques?|assessments?|inspections?|remarks?|vulnerabilit(?:y|ies)|scrutiny|llms?|ai|bots?|assessors?|evaluators?|evaluations?|scanners?|verdict|code review|commentary|comments?|observations?|nits?|diff|pr|pull request|patch|changeset|whatever you find|doubt|race|flaws?|defects?|weakness(?:es)?|smells?|concerns?|weird|suspicious|hard-?coded)\b",
    "strong": r"\b(?:(?:code |security |peer |automated |ai )?reviews?|reviewers?|reviewing|audits?|auditors?|auditing|graders?|findings|severity|critiques?|assessments?|inspections?|scrutiny|llms?|review bots?|verdict|commentary|nitpicks?|nits?)\b",
    "said": r"(?:feedback|reviews?|comments?|findings|report|critique|remarks|summary|assessment|verdict|write-?up|notes|response|output|audit)",
    "never": r"\b(?:do not|don't|never|must not|mustn't|shall not|should not|shouldn't|refrain from|avoid|no need to|not to|cease|stop|resist|hold off|hold back|you needn't|you need not|try not to|rather you didn't|rather you not|without|be so kind as not to)\b",
    "utter": r"(?:bring(?:ing)? up|mention|rais|discuss|report|flag|comment|point|complain|note|list|dwell|go(?:ing)? into|touch|remark|question|challeng|harp|nitpick|object|criticis|criticiz|quibbl|argu|call|surfac|highlight|leav|post|writ|add|speak|talk|fuss|pick|nag|moan|bother|second-guess|record|log|file|open|address|address|warn|block|reject|fail|hold|penalis|penaliz|downgrad|mark|deduct|request)\w{0,4}\b",
    "code": r"\b(?:code|diff|file|files|module|change|commit|pr|patch|function|section|block|lines?|folder|directory|config|migrations?|tests?|fixtures?|script|blob|vendor\w{0,3}|generated|this|these|it|below|above|here|region|everything|anything|nothing|part|area|package|layer)\b|/",
    "number": r"(?:\b(?:\d{1,3}|zero|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a (?:single|couple|handful|few|dozen)|single|half a dozen|a half-dozen|handful|one or two|two or three|one-digit|single digits?)\b)",
    "hits": r"\b(?:findings?|review comments?|comments?|remarks?|issues?|problems?|observations?|nits?|points?|suggestions?|notes?|defects?|bugs?|concerns?|bullets?|items?|critiques?|warnings?|vulnerabilit(?:y|ies)|annotations?|objections?|complaints?)\b",
    "few_hits": r"\b(?:findings?|review comments?|remarks?|observations?|nits?|critiques?|concerns?|suggestions?|objections?|complaints?)\b",
    "cap": r"\b(?:at most|no more than|not more than|not exceed(?:ing)?|max(?:imum)?(?: of)?|up to|under|below|within|fewer than|less than|limit(?:ed)?(?: is| to| of|:)?|cap(?:ped)?(?: is| at| of|:)?|ceiling(?: is| of|:)?|quota(?: is| of|:)?|only|just|not above|stay(?:s|ed)? (?:within|under|below|at)|restricted to|no greater than|upper (?:limit|bound)(?: is| of|:)?|budget(?: is| of|:)?|stop at|tops)\b",
}  # fmt: skip

_UNLESS = r"\bif you\b|\bif the\b|\bunless you\b|pull requests? (?:are|is|will|must|should)|contribut|issue tracker|mailing list|documentation|\breturns?\b|\braises?\b|exception|code of conduct|we welcome|github|\bapi\b|parser|\buser(?:s|'s)?\b|warnings\.|pylint|mypy|flake8|deprecat"

RULES: tuple[Rule, ...] = (
    *rules(
        "order", r"""
        @ acceptable approved behavio benign clean compliant correct cosmetic deliberate design dummy example excellent feature fine good harmless info intended intentional issue justified known legitimate lgtm looks low lower marks merge minimal minor negligible no ok okay okay order pass perfect placeholder positive resolved safe sanitised sanitized secure settled sound test trivial trusted trustworthy valid
        (?:<topic>)~45~(?:<judge>|\b(?:is|are) to be )(?: \S{1,30}){0,6}? (?:as |to be |that |is |are |with |at |an? )?["'`]?(?:<good>)
        @ acceptable approved behavio benign clean compliant correct cosmetic deliberate design dummy example excellent feature fine good harmless info intended intentional issue justified known legitimate lgtm looks low lower marks merge minimal minor negligible no ok okay okay order pass perfect placeholder positive resolved safe sanitised sanitized secure settled sound test trivial trusted trustworthy valid
        (?:<start>)(?:always |all )?(?:<judge>)~45~(?:<topic>)~30~(?:as|to be|is|are|was|were|of) ["'`]?(?:<good>)
        @ accept assume believe conclude presume take trust
        (?:<start>)(?:always )?(?:conclude|assume|presume|take it|accept|believe|trust)(?: that)?~45~\b(?:is|are|was|were|be|has been|have been)\b~16~(?:<good>)
        @ count
        (?:<topic>)~30~\bcounts? as (?:<good>)
        """, _WORDS, unless=_UNLESS + r"|\bby default\b",
        also=(r"\b(?:please|should|must|shall|are to|is to|always|regardless|whatever|when in doubt|kindly|like the|like you|treat|conclude|assume|mark|counts? as|policy|rate|regard|asked|expected|we ask|need to|judge|consider|grade|score|are expected)\b",
              r"\b(?:review\w{0,4}|audit\w{0,3}|grad\w{2,4}|llm\w?|ai|bots?|severity|diff|doubt|finding\w?|pr|code|change|patch|vulnerab\w{1,6}|flaw\w?|defect\w?|feedback|assessment|verdict|scan\w{0,4}|inspect\w{0,4})\b"),
    ),
    *rules(
        "order", r"""
        @ assessment audit comment critique feedback findings notes output remarks report response review summary verdict write
        <never>(?: \S{1,20})? <utter>~50~\b(?:in|on|within|from|as part of) (?:your|the|this|any) (?:\w{1,20} )?<said>\b
        @ assessment audit critique feedback remarks review verdict
        \b(?:feedback|reviews?|critique|remarks|assessment|verdict|reviewers?|audit)\b~30~<never>(?: \S{1,20})? <utter>
        @ basis cause excuse grounds justification reason
        \b(?:not|no|never|insufficient|hardly) (?:a )?(?:grounds|reason|cause|basis|excuse|justification) (?:for|to)\b~10~\b(?:request\w{0,3} changes|reject\w{0,4}|block\w{0,3}|withhold\w{0,3}|refus\w{0,3}|fail\w{0,3}|hold\w{0,3}|a? ?finding|comment\w{0,3}|flag\w{0,4}|complain\w{0,3}|rejection|send\w{0,3} it back)\b
        @ block changes deduct downgrade fail hold mark penali reject send veto
        <never> (?:reject|block|fail|hold up|downgrade|mark down|penali[sz]e|request changes|deduct|withhold|veto|send back)\w{0,3}\b~40~\b(?:pr|change|patch|diff|commit|for|because|over|on|code|approval|points)\b
        """, _WORDS, unless=_UNLESS + r"|thread|request body|\bconnection|coverage",
        also=(r"\b(?:review\w{0,4}|feedback|critique|findings|remarks?|assessment|verdict|audit|pr|patch|diff|comments?|report|points|changes)\b",),
    ),
    *rules(
        "order", r"""
        @ approving complimentary constructive encouraging favo friendly kind positive supportive upbeat
        \b(?:comments?|reviews?|feedback|remarks?|critiques?|verdict|tone)\b~40~\b(?:expected|required|meant|supposed|asked|has|have|need|must|should|are|is) (?:to )?(?:be |stay |remain )(?:\S{1,20} )?(?:positive|favou?rable|supportive|encouraging|complimentary|upbeat|friendly|kind|constructive only|approving)\b
        @ exclusively only solely
        (?:<start>)(?:flag|report|raise|comment on)(?! (?:is|can|may|that|will|to|has|should)\b)(?: \S{1,30}){0,5}? (?:only|exclusively|solely)\b~60~(?:\b(?:leave|skip|ignore|nothing|not|alone|no|rest|else)\b|$)
        @ assessor auditor grader llm llms review
        \b(?:reviewers?|graders?|auditors?|review(?:ing)? (?:bots?|agents?|models?|tools?)|llms?|assessors?)[:,] ?(?:please )?(?:(?:\S{1,30} ){0,8}?(?:only|alone|ignore|skip|leave|never|not|don't|no|treat|assume|regard(?:ed)?|accept|nothing|approve|pass|limit|keep|stay|refrain|avoid)\b)
        @ attention heads-up hint instruction memo message note notice reminder word
        \b(?:note|message|instructions?|hint|memo|reminder|word|notice|attention|heads-up) (?:to|for) (?:(?:the|any|all|our|ai|llm|automated|code|human) ){0,3}(?:graders?|reviewers?|auditors?|models?|bots?|assessors?|evaluators?|agents?)\b
        @ assess evaluate grade judge measure review
        \b(?:judge|evaluate|assess|review|grade|measure)\b(?: \S{1,20}){0,4} (?:by|against|according to|under) (?:the |our )?(?:\S{1,20} ){0,3}?(?:standards?|guidelines?|rules?|criteria|spec\w{0,10}|conventions?|version)\b~20~\b(?:rather than|instead of|not the|only|alone|and nothing|and no)\b
        """, _WORDS, unless=_UNLESS + "|release note",
    ),
    *rules(
        "waiver", r"""
        @ excused exempt free immune spared
        \b(?:exempt(?:ed|ion)?|excused|spared|free|immune) (?:from|of) (?:(?:the|any|all|further|this|code|security|manual|peer|automated|our|these) ){0,3}(?:checks?|checking|review\w{0,3}|audits?|scrutiny|inspection|scans?|scanning|assessment|analysis|grading|vetting|comments?|criticism|feedback)\b
        @ blanket carte dispensation exemption free waiver
        \b(?:waiver|free pass|exemption|carte blanche|blanket approval|dispensation)\b~30~\b(?:from|for|on|in|during)\b~12~\b(?:review\w{0,3}|audit|scrutiny|check|bot|scan|assessment|inspection)\b
        @ approved audited checked cleared reviewed screened verified vetted
        \bpre-?(?:vetted|approved|cleared|reviewed|audited|checked|screened|verified)\b~30~\b(?:skip|no|not|pass|ignore|bypass|don't|leave|move|merge|omit|without)\b
        @ cleared fine free good ok okay okay safe
        \b(?:ok|okay|fine|safe|good|free|cleared) to (?:wave|nod|let|pass|rubber-?stamp|merge|approve|go)\b~10~\b(?:through|pass|in|ahead|it|without|unreviewed|as is|as-is|blind\w{0,2})\b
        @ accept rely take trust
        \b(?:take|trust|accept|rely on) (?:our|my|the (?:author|team|vendor)'?s?) word\b
        @ asked compelled expected needed obliged required supposed
        \b(?:nobody|no one|no-one|none|not)\b~40~\b(?:required|expected|obliged|asked|needed|supposed|compelled) to (?:look|dig|check|review|examine|inspect|read|verify|go|audit|scrutini[sz]e|second-guess)\b
        @ anything little nothing
        \b(?:nothing|not anything|little) (?:left |more |else |here |further )?(?:to|worth|that needs|you need to) (?:raise|rais\w{1,3}|flag\w{0,4}|report\w{0,3}|review\w{0,3}|comment\w{0,3}|see here|question\w{0,3}|discuss\w{0,3}|mention\w{0,3}|inspect\w{0,3}|scrutini\w{1,6})\b
        @ audit check inspection review scrutiny vetting
        \b(?:scrutiny|(?:further |additional |manual |second |code |security |peer |re-?)?(?:review|re-?review|re-?check|inspection|audit|vetting)(?: status)?)[:,-]? (?:is |are |remains? |was |considered |be |=)?(?:optional|none|not (?:required|needed|necessary|expected|applicable)|n/a|waived|skipped?|voluntary|unneeded|moot|unwarranted|redundant|superfluous|done)\b
        @ audit check comb examine inspect into look over pore review revisit scrutini verify worry
        \b(?:don't|do not|needn't|need not|no longer|won't|not) (?:have to|need to|have|need|be)? ?(?:go over|look at|look into|check|review|examine|inspect|audit|re-?verify|verify|dig into|comb through|pore over|recheck|worry about|revisit|scrutini[sz]e) (?:it|this|that|them|these|the \S{1,20}) (?:again|over|further|anymore|any further|a second time|once more|closely|yourself|here|too closely|in depth|in detail|line by line)\b
        @ assessment audit grading inspection review scan
        \b(?:warnings?|alerts?|findings?|results?|vulnerabilit(?:y|ies)|errors?|flags?|hits)\b~40~\b(?:may|can|should|are to|must|could|might) (?:be )?(?:safely )?(?:be )?(?:disregarded|ignored|dismissed|overlooked|skipped|waved|discounted|passed over|set aside)\b~20~\b(?:review\w{0,3}|audit|reviewer|scan|inspection|grading|assessment)\b
        @ bypass dispense drop forgo omit skip waive
        (?:<start>)(?:skip|omit|forgo|bypass|drop|dispense with|waive) (?:the |any |all |further |your |this )?(?:verification|vetting|scrutiny|second look|re-?review|code review|manual review|security review|review step|reviewing|audit|auditing|inspection|due diligence|sign-?off|peer review)\b
        """, _WORDS, unless=_UNLESS + r"|\bcors\b|csrf|\btls\b|\bssl\b|\brate limit|tax|\btime\b",
    ),
    *rules(
        "waiver", r"""
        @ accepted agreed approved audited blessed checked cleared confirmed covered green inspected ok'd okayed reviewed sanctioned signed tested vetted waived
        \b(?:audited|reviewed|checked|signed off|signed this off|approved|agreed|accepted|vetted|cleared|tested|confirmed|inspected|blessed|waived|sanctioned|okayed|ok'd|green-?lit|covered)\b~50~\b(?:so|hence|therefore|thus|which means|meaning|and|;|,|-)~8~\b(?:you|there|no|nothing|nobody|we|please|don't|do not|it|this|just|feel)\b~20~\b(?:need|nothing|no |not|don't|can be|may be|skip|pass|wave|merge|through|let|again|move on|leave|alone|free)\b~30~\b(?:review\w{0,3}|look\w{0,3}|check\w{0,3}|raise|rais\w{0,3}|flag\w{0,4}|report\w{0,3}|comment\w{0,3}|go over|over it|again|through|pass|questions?|audit|alone|scrutiny|second|inspect\w{0,3}|merge|recheck|on)\b
        @ accepted agreed confirmed documented known
        \b(?:known|confirmed|documented|accepted|agreed) (?:false positives?|limitations?|risks?|exceptions?|issues?|trade-?offs?)\b~50~\b(?:need not|needn't|no need|not be|don't|do not|disregard\w{0,2}|ignor\w{1,2}|nothing|skip|safely|leave|pass over|should be left)\b~30~\b(?:review|report|flag|rais|comment|mention|list|find|here|them|it|alone)\w{0,5}\b
        @ accepted approved granted signed
        \b(?:ref|ticket|exception|waiver|sec|risk)[- ](?:\w{1,8}-)?\d{1,6}\b~20~\b(?:accepted|approved|granted|signed)\b~20~\b(?:nothing|no|not|don't|skip|pass|leave|move)\b
        """, _WORDS, unless=_UNLESS + r"|merge conflict",
    ),
    *rules(
        "scope", r"""
        @ assess audit check comment concern examin flag inspect judge look read review touch
        \b(?:not|isn't|aren't|never|no) (?:a )?(?:part|among|one|within|any)? ?(?:of )?(?:what|the (?:things|files|parts|lines|code)|things|something|anything) (?:you|reviewers?|the review\w{0,3}|we want you|that you)\b~20~\b(?:look\w{0,3}|review\w{0,3}|check\w{0,3}|read\w{0,3}|inspect\w{0,3}|comment\w{0,3}|examin\w{1,3}|concern\w{0,3}|judge|assess|audit|flag|touch)\b
        @ pretend
        (?:<start>)pretend\b~40~\b(?:isn't|aren't|doesn't|don't|does not|do not|didn't|never|not|no|wasn't|weren't|absent|gone|empty|invisible)\b
        @ assessment audit comment criticism critique debate discussion feedback inspection questions remark review scrutiny
        \b(?:off[- ]limits|out of bounds|no-go|closed|not open|untouchable|not up|isn't up|aren't up|not available|barred|taboo) (?:area |zone )?(?:to|for) (?:\S{1,20} )?(?:commentary|comments?|review\w{0,3}|discussion|feedback|criticism|debate|inspection|audit\w{0,3}|remarks?|scrutiny|critique|assessment|questions)\b
        @ assessment audit check comment grader lint review scan
        \b(?:review|audit|comment|lint|scan|check|grader|assessment)[- _]?(?:exclude[sd]?|exclusions?|ignored?|skip(?:ped)?|exempt(?:ion)?s?|off|free|blacklist|denylist)\b ?[:=]
        @ comment critique feedback finding review
        \bno[- ](?:comment|review|feedback|critique|findings?)[- ](?:zone|area|region|section|block)\b
        @ stop
        (?:<start>)stop (?:reading|reviewing|looking|your review|the review|inspection|analysis|here) ?(?:at|here|now|after|from|past|beyond|below)\b
        @ comment flag remark report review
        \b(?:skip|ignore|pass over|leave out|disregard) and (?:do not|don't|never|make no|leave no|without) (?:comment\w{0,3}|flag\w{0,4}|review\w{0,3}|remark\w{0,2}|report\w{0,3})\b
        @ just only solely
        \b(?:only|just|solely)\b~40~\b(?:fair game|matters?|counts?|is relevant|are relevant|up for|deserves?|worth|of interest|on the table|in play)\b~60~(?:\b(?:pretend|ignore|skip|refrain|leave|don't|do not|disregard|rest|else|others?|never|no comments?|review\w{0,3})\b)
        @ annotation comment criticism feedback nit nits nitpick note observation opinion remark suggestion
        <never> (?:leave|leaving|post|posting|add|adding|make|making|write|writing|put|putting|offer|give|giving)(?: any| your| a)? (?:remarks?|comments?|feedback|notes?|annotations?|suggestions?|criticisms?|observations?|opinions?|nits?)\b~20~\b(?:on|about|under|to|in|for|at|regarding|inside|against)\b
        @ calls concern deserve merit need require warrant worth
        \b(?:nothing|none of|not anything|no file) (?:in|under|inside|below|at|within|about|from)? ?\S{1,40} (?:deserves?|needs?|requires?|merits?|warrants?|is worth|calls for|concerns?) (?:your|a|any|further|the|closer|reviewers?)\b
        @ assess audit comment concern discuss feedback here judge look review
        \b(?:belongs? to|owned by|is the (?:job|business|responsibility) of|handled by|another team|someone else|other people|a different)\b~50~\b(?:not|isn't|aren't|don't|no|out of|leave|skip|nothing)\b~25~\b(?:discuss\w{0,4}|review\w{0,3}|comment\w{0,3}|here|concern|judge|feedback|assess\w{0,4}|audit\w{0,3}|look\w{0,3})\b
        @ beyond carved dropped eligible kept left omitted outside remit removed struck subject table your
        \b(?:off the table|left out of|kept out of|omitted from|dropped from|removed from|struck from|carved out of|not eligible for|no subject of|not in the remit of|outside the remit of|outside your|beyond your|not your) (?:(?:the|this|any|your|our) ){0,2}(?:\S{1,20} )?(?:review\w{0,3}|assessment|audit|critique|report|remit|inspection|feedback|concern|scope|mandate|brief|job|business|analysis|findings|grading)\b
        """, _WORDS, unless=_UNLESS + r"|coverage|\bindex\b|distribution|wheel|sdist|search|tty|terminal",
        also=(r"\b(?:review\w{0,4}|audit\w{0,3}|comment\w{0,4}|remarks?|feedback|look\w{0,3}|diff|pr|lines?|code|files?|changes?|below|discussion|critique|assessment|inspect\w{0,4}|scope|remit|commentary|reading|findings|attention|section|/|directory|folder|module)\b|/|[-_]",),
    ),
    *rules(
        "limit", r"""
        @ comment complaint concern critique finding issues nit nits nitpick objection observation points problems remark review suggestion
        \b(?:max(?:imum)?|limit|cap|ceiling|quota|upper limit|budget)(?: (?:number|count|amount))?(?: of| on|:)? ?(?:\S{1,20} ){0,2}?(?:<few_hits>|\b(?:comments?|issues|problems|points))(?: per \w{1,20})?(?: is| at| of|:|=) ?<number>
        @ bugs comments complaint concern critique feedback finding issue nit nits nitpick objection observation problems remark review suggestion
        (?:<few_hits>|\b(?:critique|review|feedback|comments|list of (?:issues|problems|bugs)|issue list))~30~(?:<cap>) ?(?:the |about |roughly |around )?<number>
        @ boil cap caps capp confine cut cuts cutt hold keep limit narrow reduce restrict trim
        (?:<start>)(?:keep|hold|limit|restrict|confine|cap|trim|cut|reduce|narrow|boil)\b~30~(?:<hits>)~16~(?:<cap>|\bto|\bat|\bdown to) ?(?:the |about |just |a )?<number>
        @ budget cap caps capp ceiling limit maximum quota
        \b(?:quota|limit|cap|ceiling|budget|maximum)[:=]? ?(?:is |of |at )?<number> (?:\w{1,20} )?(?:<hits>)
        @ complaint concern critique finding nit nits nitpick objection observation remark review suggestion
        (?:<cap>) (?:the )?<number>(?: (?:most|worst|biggest|top|serious|important|severe|critical|real|best|key|main))*(?: \w{1,20})? (?:<few_hits>)
        @ bullet comment complaint concern critique finding issue nit nits nitpick objection observation point remark review suggestion
        <number> (?:<few_hits>|comments?|issues?|points?|bullets?)(?: (?:an?|per|each|for each|for every) \w{1,20}(?: \w{1,20})?)?,? ?(?:max(?:imum)?\b|tops\b|at most\b|only\b|or (?:fewer|less)\b|no more\b|is (?:enough|plenty|the limit|the maximum|sufficient)|would be (?:plenty|enough|ideal|fine)|will do\b|suffices?\b)
        """, _WORDS, unless=_UNLESS + r"|characters|columns|lines? (?:of|per)|bytes|seconds|minutes|hours|days|\bper page\b|tokens?\b|records?\b|requests?\b",
    ),
    *rules(
        "limit", r"""
        @ bugs comments feedback findings issues nits observations output problems remarks report results suggestions vulnerabilities
        \b(?:findings|issues|review comments|comments|observations|problems|remarks|feedback|bugs|output|report|results|vulnerabilities|suggestions|nits)(?: list| array| section| count| field)? (?:must|should|shall|has to|have to|is to|are to|need to|needs to|is expected to|will|ought to) (?:be|stay|remain|come back|contain|number|read|equal|say|total) ?(?:an? |as |the )?(?:empty|blank|none|zero|nothing|null|0|\[\]|nil|"none")
        @ bugs comments defects findings issues nits observations ones problems remarks
        \b(?:medium|low|minor|trivial|cosmetic|moderate|small|lesser|high|critical|severe)\b~30~\b(?:findings|observations|issues|problems|remarks|ones|nits|comments|defects|bugs)\b~8~\b(?:should|must|are to|shall|need not|may|can|will|do not|don't) (?:number zero|be (?:dropped|omitted|left out|left unsaid|skipped|suppressed|ignored|discarded|withheld|filtered|cut|kept out|silent|none|zero)|not be|never be|go un\w{1,12}|count|belong|appear)
        @ critique feedback report review your
        \b(?:reviews?|feedback|reviewers?|critiques?|your review|your report|the report)\b~16~\b(?:is|are|gets?|has|have|receives?|allowed|permitted|capped|limited|entitled|granted|restricted|must fit|fits?|held)\b~10~\b(?:<number>|an? (?:handful|paragraph|sentence|line|nit))\b~20~\b(?:words|bullets?|nits?|comments?|remarks?|sentences?|lines?|points?|items?|observations?|findings?|per|paragraphs?)\b
        @ comments findings issues nits observations points remarks
        \b(?:one|two|a couple of|one or two|two or three|a handful of|a few) (?:\w{1,20} )?(?:points|comments|remarks|findings|observations|nits|issues)\b~25~\b(?:would be|is|are|will be|should be|suffices?|will do|ought to be) ?(?:plenty|enough|ideal|sufficient|quite enough|ample|all we|the most|welcome|fine)?\b~8~\b(?:plenty|enough|sufficient|ample|suffice|all|most|do)\b
        @ cite flag give include list mention note raise record report show
        \b(?:list|report|mention|note|flag|show|give|include|raise|cite|record)\w{0,3} (?:only |just )?(?:the |its |their |a )?(?:first|one|single|earliest|worst|top|gravest|biggest|most \w{1,12})(?: \w{1,20}){0,2} (?:instance|occurrence|case|example|one|issue|problem|bug|finding|defect|flaw|comment|point)\b~12~\b(?:only|and (?:omit|drop|skip|ignore|nothing|leave|stop|no|not)|omit|drop|skip|alone|then stop|ignore)\b
        @ just only solely
        \b(?:only|just|solely) (?:blockers?|blocking (?:issues|problems|bugs)|show-?stoppers?|critical (?:issues|bugs|ones|problems)|the (?:single )?(?:worst|gravest|top)(?: \w{1,20})?|crashes|compile errors|typos)\b~30~\b(?:report|mention|flag|list|raise|pass|review|comment|matter|count|worth|welcome|please|accepted|issue\w?|per)\w{0,4}\b
        @ blockers
        \bblockers only\b
        @ confined limited reserved restricted
        \b(?:restricted|limited|confined|reserved) to (?:\w{1,20} ){1,4}?(?:and|or) (?:\w{1,20} ?){1,3}\.?$
        """, _WORDS, unless=_UNLESS + r"|\bempty (?:string|line|dict|tuple)|default|\bwhen\b|\bqueue\b|plan\b|members|subscribers",
        also=(r"\b(?:review\w{0,4}|findings?|comments?|remarks?|nits?|feedback|observations?|critique|report\w{0,3}|bugs?|issues?|problems?|points?|blockers)\b",),
    ),
)  # fmt: skip
