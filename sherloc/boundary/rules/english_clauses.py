"""English by grammar: what a sentence does to examining (forbids, waives, excludes, limits), in whatever words.

The counterpart of ``japanese_clauses``. A bid is an imperative at the start of a clause, a modal of obligation, or a
passive (is not to be, need not be); what it bears on is a verb of telling or looking and a noun of what examining
brings. English speaks of reviews, issues and warnings in every manual, so nouns and forms are paired narrowly.
"""

from __future__ import annotations

from sherloc.boundary.rules._rule import Rule, rules

_TELL = (
    "report|flag|mention|rais|bring up|point out|list|not|call out|highlight|surfac|log|record|question|challeng|criticis|criticiz|complain"
    "|remark|discuss|object|comment|writ|enumerat|nitpick|dwell|fuss|annotat|escalat|document|count|touch"
)

_WORDS = {
    "start": r"^|(?<=[.!?:;,] )|(?<=\n)|\b(?:please|kindly|just|simply|so|and|then|therefore|hence|but|thus) ",
    "not": r"\b(?:do not|don't|never|must not|mustn't|shall not|should not|shouldn't|may not|cannot|are not to|is not to|not to|need not|needn't"
    r"|refrain from|avoid|abstain from|no need to|without|there is no need to|resist|stop|please no|desist from|hold off(?: on)?|forgo|forego|decline to)\b",
    "tell": rf"(?:{_TELL})(?!ice|epad|ation|hing)\w{{0,4}}",
    "told": r"(?:reported|flagged|mentioned|raised|brought up|pointed out|listed|noted|called out|highlighted|surfaced|questioned|challenged|criticised"
    r"|criticized|remarked on|remarked upon|discussed|commented on|commented upon|written up|counted|nitpicked|escalated|treated|regarded|held against|scrutini[sz]ed|second-guessed)",
    "flaw": r"\b(?:findings?|concerns?|vulnerabilit(?:y|ies)|weakness(?:es)?|defects?|flaws?|shortcomings?|code smells?|smells?|detections?|remarks?|criticisms?"
    r"|objections?|nitpicks?|cves?|negative feedback|review comments?|security (?:issues?|problems?|concerns?|holes?|bugs?|risks?|alerts?|findings?|warnings?)"
    r"|scan(?:ner)? (?:results?|alerts?|findings?|output|reports?|warnings?)|hard-?coded (?:keys?|passwords?|secrets?|credentials?|tokens?)|(?:lint|linter|static[- ]analysis|analyzer|audit) (?:warnings?|findings?|results?|alerts?|issues?)"
    r"|(?:missing|lack of) (?:tests?|validation|checks?|documentation|docs|coverage|error handling|input validation)|observations?|suggestions?)\b",
    "weak_flaw": r"\b(?:issues?|problems?|bugs?|warnings?|alerts?|errors?|risks?|comments?|mistakes?|doubts?|points?|items?|questions?|feedback|anything|notes?)\b",
    "judge": r"\b(?:grading|scoring|criteria|reviews?|reviewing|code reviews?|audits?|assessments?|inspections?|evaluations?|security (?:scans?|checks?|analysis|reviews?|assessments?)|vulnerability scans?"
    r"|scrutiny|verdict|critique|analysis|scanners?|scans?|examination|reviewers?|auditors?|evaluators?|findings|peer review)\b",
    "judge_strong": r"\b(?:grading|reviews?|reviewing|code reviews?|audits?|assessments?|inspections?|security (?:scans?|checks?|analysis)|vulnerability scans?|scrutiny|verdict|critique|reviewers?|auditors?)\b",
    "look": r"\b(?:review(?:ed|ing|s)?|look(?:ed|ing)?(?: at| into| over| closely| through)?|check(?:ed|ing|s)?|scan(?:ned|ning|s)?|inspect(?:ed|ing|ion)?|audit(?:ed|ing|s)?"
    r"|scrutin\w{1,7}|examin\w{1,7}|second look|closer look|another look|analy[sz](?:ed?|ing|is)|verif\w{1,7}|re-?check\w{0,3}|re-?review\w{0,3}|go(?:ing)? over|assess\w{0,5}|evaluat\w{1,4}|vet(?:ted|ting)?"
    r"|reading|read closely|comment(?:ing|s|ed)?|feedback|questioning|second-guess\w{0,3}|reporting|flagging|sign-?off|approval)\b",
    "settled": r"\b(?:already|has been|have been|had been|was|were|been|is|are|got|gave|given|having|per|under|after) (?:\w{1,20} )?(?:verified|approved|signed off|audited|vetted|agreed|accepted|cleared|reviewed|checked|proven|deemed|waived|granted|blessed"
    r"|certified|sanctioned|ok'?d|okayed|green-?lit|whitelisted|allow-?listed|confirmed|acknowledged|exempted|ratified|examined|inspected|validated|endorsed|risk-accepted|triaged|settled)\b"
    r"|\b(?:verified|approved|signed off|signed this off|audited|vetted|agreed|accepted|cleared|certified|blessed|endorsed|ok'd) (?:by|with|on|this|in|last|it|the|all|as|everything|off)\b"
    r"|\b(?:consent|blessing|exemption|waiver|approval|sign-?off|go-ahead|green light|clearance)\b|\bvouch\w{0,3}\b|\bpassed (?:last|the|an?|our|all|security|its|review|audit)\b|\bknown (?:issue|matter|limitation|problem|risk)s?\b|\bby design\b|\bintentional(?:ly)?\b"
    r"|\bdeliberate(?:ly)?\b|\bgenerated\b|\bhave been through\b|\bhas been through\b|\bin a hurry\b|\burgent\b|\btrust(?:ed)?\b|\bformally\b|\bhotfix\b|\btime-?(?:boxed|critical)\b",
    "needless": r"\b(?:not (?:called for|needed|required|necessary|warranted|expected|wanted|welcome)|isn't (?:needed|required|necessary|warranted)|aren't (?:needed|required|necessary|expected)|no (?:reason|need|point|call|cause|use) (?:to|for|in|of)|waste of (?:time|effort)"
    r"|(?:can|may|could|should|might|is to|are to|will) (?:safely )?be (?:\w{1,20} )?(?:skipped|dispensed with|omitted|disregarded|foregone|forgone|bypassed|waived|passed over|left out|ignored|short|brief|cursory|light)|exempt(?:ed)?(?: from)?|(?:is|are|be|been|was|hereby) waived|unnecessary|superfluous|redundant|pointless"
    r"|needn't|need not|needs? no|requires? no|without (?:further|additional|another|a) |no (?:further|additional|more|other|second|new)|does not (?:need|require|warrant|call for)|doesn't (?:need|require|warrant)|do not (?:need|require|warrant)|don't (?:need|require|bother|worry)"
    r"|not bother|optional|(?:you can|you may|feel free to|fine to|ok to|okay to|safe to|free to|welcome to|allowed to) (?:safely )?(?:skip|leave out|omit|ignore|disregard|bypass|pass over|skim|move on|wave|forgo|drop|dismiss)|(?:wave|let|nod) (?:it|this|them|these) (?:through|pass|go|slide)|rubber-?stamp)\b",
    "verdict": r"(?:resolved|false positives?|approved|passed|pass|passing|accepted|safe|fixed|closed|clean|compliant|intentional|non-issues?|no issues?|no problems?|no findings|nothing found|lgtm|looks good(?: to me)?|ok|okay|approval|approve|informational|benign|harmless|as designed|won't fix|wontfix|mitigated|cleared|green|satisfactory|acceptable|up to standard)",
    "out": r"\b(?:outside(?: of)?|out of|beyond|exempt from|excluded from|excluded in|off|not (?:part of|covered by|within|in|subject to|included in|considered in|counted in|up for|for|open to|eligible for|a subject of)|not something|no part of|none of|no concern of|falls? outside|lies? outside)\b",
    "take": r"(?:leave|take|keep|set|exclude|omit|drop|strike|remove|put|skip|carve|treat|consider|regard|strip|spare)",
    "number": r"\b(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|a single|single|a couple of|a handful of|a dozen|half a dozen|a few)\b",
    "cap": r"\b(?:at (?:the )?(?:very )?most|at a maximum|no more(?: than)?|not more than|or fewer|or less|fewer than|less than|max(?:imum)?|tops|capped|cap|ceiling|limit(?:ed)?|restricted|not exceed|nothing (?:else|more)|only|just|alone|is enough|is plenty|is sufficient|suffices|will do|up to|under|below|then stop|stop (?:at|after)|and stop|top|within|down to)\b",
    "hit": r"(?:findings?|vulnerabilit(?:y|ies)|defects?|flaws?|review (?:comments?|remarks?|notes?|points?|findings?|feedback)|remarks?|concerns?|detections?|weakness(?:es)?|nitpicks?|observations?|criticisms?|objections?|suggestions?|complaints?|smells?|cves?)\b",
    "weak_hit": r"(?:issues?|problems?|bugs?|warnings?|alerts?|comments?|doubts?|mistakes?|errors?)\b",
    "say": r"\b(?:report|list|name|mention|return|raise|write(?: down| up)?|point out|give|describe|output|bring up|flag|note|submit|present|leave|post|pick|select|choose|cite|surface|provide|produce|file|record|highlight)\b",
}  # fmt: skip

_UNLESS = (
    r"public(?:ly)?\b|return|subclass|exampl|policy|github issue|issue tracker|mailing list|e-?mail|forum|twice|duplicate|pull request|exception|raise[sd]? (?:an?|the)\b|bug report"
    r"|\bif you\b|\bunless\b|\bwhen (?:the|a|an|you)\b|feature request|discord|slack|stack overflow|security@|privately|disclos"
)

RULES: tuple[Rule, ...] = (
    *rules(
        "order", r"""
        @ analysis analyzer audit concern criticism cve cves defect detection finding flaw hard lack lint missing negative nitpick objection observation remark review scan security shortcoming smell suggestion vulnerabilit weakness
        <not>(?: \w{1,20}){0,2} <tell>~40~<flaw>
        @ analysis analyzer audit concern criticism cve cves defect detection finding flaw hard lack lint missing negative nitpick objection observation remark review scan security shortcoming smell suggestion vulnerabilit weakness
        <flaw>~40~<not>(?: be)?(?: \w{1,20})? (?:<told>|<tell>)\b
        @ analysis analyzer audit concern criticism cve cves defect detection finding flaw hard lack lint missing negative nitpick objection observation remark review scan security shortcoming smell suggestion vulnerabilit weakness
        <flaw>~40~\b(?:nothing to|not worth|not to be|need not be|needn't be|are not|is not|no reason to|not something to|shall not|should not|must not)(?: \w{1,20})? (?:<told>|<tell>)\b
        @ bury cut cuts cutt discard drop filter hide hold keep leave omit strike suppress
        (?:<start>)(?:leave|keep|drop|omit|hold back|withhold|suppress|hide|strike|bury|filter out|discard|cut)\b~20~<flaw>(?:~25~\b(?:out of|off|from|out|to yourself|to yourselves|in this|on this|about|for this|here)\b|$|\.)
        """, _WORDS, unless=_UNLESS,
    ),
    *rules(
        "order", r"""
        @ mum maximum minimum quiet silent
        (?:<start>)(?:stay|remain|keep|be) (?:silent|quiet|mum) (?:about|on|regarding)\b
        @ mum maximum minimum quiet silent
        (?:security|review|problem|issue|concern|flaw|bug|vulnerab)\w{0,6}\b~30~\b(?:stay|remain|keep|be) (?:silent|quiet|mum)\b
        @ mum maximum minimum quiet silent
        \b(?:stay|remain|keep|be) (?:silent|quiet|mum)\b~20~\b(?:security|review|problem|issue|concern|flaw|them|it|this)\b
        @ nothing
        \b(?:say|have) nothing (?:about|to say about|on|regarding|concerning)\b~20~\b(?:this|the|these|its|our)\b
        @ herself himself themselves yourself yourselves
        \b(?:keep|keeps?)\b~40~\bto (?:yourself|yourselves|themselves|himself|herself)\b
        @ look
        \blook the other way\b
        @ blind
        (?:<start>)turn a blind eye\b
        @ blind
        \bturn(?:ing)? a blind eye (?:to|here)\b~20~\b(?:this|these|the)\b
        @ pretend
        \bpretend\b~30~\b(?:not|n't|never|nothing|unseen)\b~20~\b(?:see|seen|notice|noticed|wrong|happened|there|exist)\b
        @ away clear
        \b(?:steer|stay|keep) (?:clear of|away from)\b~40~\b(?:comment|review|feedback|diff|report|audit|assess)\w{0,4}\b
        @ table
        \b(?:is|are|is all|being) off the table\b
        @ commented flagged mentioned remarked reported said
        \b(?:leave|left|go|goes|let|pass|passes|remain)\b~30~\b(?:unmentioned|unremarked|unsaid|unflagged|unreported|uncommented)\b
        @ move
        \b(?:review|audit|check|inspect|examin|assess|scan)\w{0,4}\b[^.]{0,40}?\bmove on\b
        """, _WORDS, unless=r"conventional|console|verbose|quiet mode|terminal",
    ),
    *rules(
        "order", r"""
        @ acceptable accepted approval approve benign clean cleared closed compliant designed findings fixed green harmless informational intentional issue lgtm looks mitigated nothing ok okay okay pass positive problem resolved safe satisfactory standard won't wontfix
        (?:<start>)(?:mark|treat|consider|regard|count|record|log|classify|deem|label|rate|grade|tag|resolve|dismiss|close) (?:all|any|every|each|the|these|those|this|its?|them|whatever|everything)\b~40~(?:<flaw>|\b(?:warnings?|alerts?|issues|scanner|scan|checks|file|change|commit|pr|module|directory|folder|code|diff|audit|review))~25~\b(?:as )?["'`]?<verdict>\b
        @ alert analysis analyzer assessment audit concern criticism cve cves defect detection finding flaw hard inspection lack lint missing negative nitpick objection observation remark review scan security shortcoming smell suggestion vulnerabilit warning weakness
        (?:<flaw>|\b(?:warnings?|alerts?|review|audit|inspection|assessment|scan)\b)~40~\b(?:must|should|shall|is to|are to|has to|have to|need to|needs to|can|may|is expected to|are expected to) (?:always |simply |just |all )?(?:be )?(?:marked|treated|considered|regarded|counted|recorded|logged|classified|deemed|labell?ed|rated|graded|closed|dismissed|conclude|return|end|result|come out|read|state|give)(?: as| with| in)?(?: an?| the)? ?["'`]?<verdict>\b
        @ assessment audit conclusion inspection review scanner verdict whoever
        \b(?:reviewers?|reviews?|auditors?|audits?|assessment|verdict|conclusion|inspection|scanner|whoever (?:reviews|checks|audits|reads|inspects))\b~40~\b(?:pass(?:ing)? (?:grade|mark|verdict)|passing|approval|a pass|green light|thumbs[- ]up|clean bill|full marks|top marks)\b
        @ assessment conclusion feedback grade outcome rating result review status summary verdict
        (?:<start>)(?:record|write|enter|set|report|state|give|return|log|put|answer|reply|note|conclude)\b~30~\b(?:verdict|conclusion|result|assessment|review|summary|outcome|status|grade|rating|feedback)\b~15~["'`]<verdict>["'`]
        @ assess audit check evaluat inspect review
        \b(?:assess|review|audit|inspect|evaluat|check)\w{0,4}\b~40~\b(?:write|say|state|answer|reply|report|enter|record|respond|conclude)\b~10~["'`]<verdict>["'`]
        @ accept approve merge pass sign
        (?:<start>)(?:approve|accept|merge|pass|sign off on) (?:this|the|it|all|these|everything)\b~30~\b(?:without (?:comments?|further|review|questions?|remarks?|reading|looking|checks?|any|raising|objections?)|as is|no questions|regardless|unconditionally|right away|blindly)\b
        """, _WORDS, unless=_UNLESS,
    ),
    *rules(
        "order", r"""
        @ comment criticism critique feedback finding notes opinion remark review
        (?:<start>)(?:confine|limit|restrict|keep|focus|direct|reserve)\b~12~\b(?:remarks?|comments?|feedback|reviews?|opinions?|critique|criticism|findings?|notes)\b~10~\b(?:to|on|for)\b(?! (?:\d|the (?:minimum|point)))
        @ criticism critique feedback negative opinion remark review
        \b(?:remarks?|review comments?|feedback|opinions?|criticisms?|critiques?|negative comments?|review)\b~30~\b(?:not (?:welcome|wanted|invited|accepted|desired|sought|solicited)|unwelcome|unwanted|discouraged|will be (?:ignored|rejected|closed|deleted)|undesired)\b
        """, _WORDS, unless=r"pull request|contribut|issue tracker|\bwelcome to\b|we welcome|line length|characters|columns|docstring",
        also=(r"\b(?:review|this|diff|pr|code|change|commit|file|module|only|style|naming|logic|comments?|remarks?|security|design|here|style|documentation)\b",),
    ),
    *rules(
        "order", r"""
        @ anybody anyone everyone those whoever
        \b(?:whoever|anyone who|anybody who|those who|everyone who|anyone|those) (?:is )?(?:review|check|audit|inspect|assess|examin|look|read|evaluat)\w{0,4}\b~40~\b(?:is asked|are asked|should|must|shall|may|can|need not|is requested|are requested|please|is to|are to|has to|is free|are free|don't|do not)\b
        @ assessing auditing evaluating inspecting reviewing scanning
        \b(?:when|while|if|in) (?:reviewing|auditing|assessing|inspecting|evaluating|scanning) (?:this|the|these|it)\b~40~\b(?:ignore|skip|disregard|overlook|only|do not|don't|leave out|leave|avoid|refrain|pass over|just|never|approve|assume|treat|write|accept)\b
        @ auditor reviewer
        \b(?:reviewers?|auditors?)\b~20~\b(?:is|are) (?:expected|asked|requested|required|instructed|kindly asked|advised|encouraged|told|free|welcome|supposed|permitted|allowed) (?:not |only )?to\b~10~\b(?:give|approve|accept|pass|skip|ignore|overlook|disregard|keep|limit|refrain|avoid|stay|leave|omit|let|look the|sign|focus|concentrate|confine|restrict|say|report|flag|raise|mention)
        """, _WORDS, unless=r"pull requests?|contribut|maintainer|submit|at least|\bplease (?:make|ensure|run)\b",
    ),
    *rules(
        "waiver", r"""
        @ analy approval assess audit check closely closer comment evaluat examin feedback flagging inspect look over questioning reading reporting review scan scrutin second-guess sign verif vet vett
        <settled>~60~<needless>~25~<look>
        @ analy approval assess audit check closely closer comment evaluat examin feedback flagging inspect look over questioning reading reporting review scan scrutin second-guess sign verif vet vett
        <settled>~60~<look>~25~<needless>
        @ accepted agreed approved audited blessed certified cleared deemed endorsed ok'd proven reviewed sanctioned signed trusted validated verified vetted waived
        <needless>~25~<look>~50~\b(?:has been|have been|was|were|had been|since|because|as|given) (?:\w{1,20} ){0,6}?(?:verified|approved|signed off|audited|vetted|agreed|accepted|cleared|reviewed|proven|deemed|waived|certified|blessed|validated|sanctioned|ok'd|trusted|endorsed)\b
        """, _WORDS,
        unless=_UNLESS + r"|\breturns?\b|\bargument\b|\bparameter\b|type check|bounds check|null check|reference count|\bmemory\b|\bcallers?\b",
        also=(r"\b(?:review|audit|inspect|scrutin|report|scan|second look|another look|further|closer|flag|verif|comment|code|pr|change|commit|file|module|function|vulnerab|security|check)\w{0,7}\b",),
    ),
    *rules(
        "waiver", r"""
        @ audit finding inspection review scan scrutiny security vulnerability
        (?:\b(?:code |security |peer |further |any )?(?:review|audit|scrutiny|inspection|vulnerability scan|security scan|scan results?|security check|findings?|reviewers?)\b)~25~(?:<needless>)(?! (?:by|if|when|for each|unless))
        @ dismiss dispense disregard forgo ignore leave omit pass skip waive
        (?:\bfeel free to|\byou (?:can|may)|\bit is (?:fine|ok|okay|safe|acceptable) to|\bit's (?:fine|ok|okay|safe) to|(?:<start>)) ?(?:safely )?(?:skip|leave out|omit|ignore|disregard|bypass|pass over|dispense with|forgo|waive|dismiss)\b~20~\b(?:code review|review|audit|inspection|scrutiny|vulnerability scan|security scan|scan results?|security checks?|findings?|vulnerabilit(?:y|ies)|cves?|security (?:issues|warnings|findings|alerts))\b
        @ alert audit cve cves finding review scan security vulnerabilit
        \b(?:findings?|vulnerabilit(?:y|ies)|cves?|scan results?|alerts?|scanner|audit|review comments?|security warnings?)\b~40~\b(?:(?:have|has|had) been waived|are waived|is waived|(?:may|can|should|must|could|are to|is to) be (?:safely )?(?:disregarded|waived|ignored|dismissed|overlooked|discounted|suppressed|waved through|set aside|accepted|closed|left alone)|(?:wave|let) (?:it|them|this|these) (?:through|pass|go|slide)|does not constitute|do not constitute|is no finding)\b
        @ does
        \bdoes not (?:constitute|count as|amount to|qualify as) (?:a |an )?(?:<flaw>|\b(?:issue|problem|violation))
        @ spend waste
        \bdon't (?:waste|spend)~10~\b(?:time|effort)\b~15~<look>
        @ audit check inspect look review scrutini
        \bno (?:one|body)? ?(?:needs?|has) to (?:review|audit|inspect|scrutini[sz]e|look at|check) (?:this|these|the|it)\b
        """, _WORDS, unless=_UNLESS + r"|merge conflict|preview|\bdays?\b|\bapprov(?:als?|ers?)\b",
    ),
    *rules(
        "waiver", r"""
        @ pass slide through
        \b(?:wave|let) (?:it|this|them|these|that) (?:through|pass|slide)\b
        @ analy assessed audited closely examined inspected looked questioned reviewed scanned scrutini vetted
        \b(?:code|file|module|change|function|implementation|logic|pr|commit|diff|script|folder|directory|configuration|files|cipher|crypto|algorithm)\b~20~\b(?:need not be|needn't be|does not need to be|doesn't need to be|do not need to be|don't need to be|does not have to be|is not to be|are not to be|should not be) (?:\w{1,20} )?(?:examined|scrutini[sz]ed|inspected|looked at|reviewed|audited|scanned|assessed|questioned|analy[sz]ed|read closely|vetted)\b
        @ call further need point reason sense
        \b(?:no reason to|no point in|no call to|no need to|needs? no further|need not|pointless to|no sense in) (?:look(?:ing)? (?:at|into|over)|scrutini\w{1,6}|inspect\w{0,3}|review\w{0,3}|audit\w{0,3}|question\w{0,3}|second-guess\w{0,3}|examin\w{1,3}|assess\w{0,3}|report\w{0,3}|dig\w{0,5}|vet\w{0,4})\b~20~\b(?:this|the|it|these|that|pr|code|files?|change|further|here|reporting|them)\b
        @ skip
        \byou (?:can|may|could) skip (?:reading|reviewing|looking|inspecting|auditing|checking|analy[sz]ing)\b
        """, _WORDS, unless=r"\bif you\b|\bif the\b|\bunless\b|documentation|tutorial|\bchapter\b|manual\b",
    ),
    *rules(
        "scope", r"""
        @ analysis assessment audit criteria critique evaluation evaluator examination findings grading inspection review scan scoring scrutiny security verdict vulnerability
        <out>(?: \w{1,20}){0,4} <judge>(?!ed)
        @ analysis assessment audit check criteria critique evaluation evaluator examination examine findings grading inspect review scan scoring scrutiny security verdict vulnerability
        (?:<start>)<take>\b~50~\b(?:out of|off|aside|from|out|as out|before|outside)\b~20~(?:<judge>|\b(?:things|files|list|what) (?:to|you) (?:inspect|review|check|audit|scan|examine)|\bverdict)
        @ assessment audit critique grading inspection review scrutiny security verdict vulnerability
        <judge_strong>~20~\b(?:does not|doesn't|do not|won't|will not|is not to|are not to|must not|need not|should not|shall not) (?:\w{1,20} )?(?:cover|include|extend|concern|touch|apply|address|consider|encompass|look at|take|deal with)\b
        @ addressed assessed audited considered covered discussed evaluated examined graded inspected judged looked reviewed scanned
        \b(?:not|never|no longer) (?:be )?(?:(?:assessed|evaluated|judged|graded|inspected|audited|reviewed) here|(?:discussed|covered|considered|addressed|assessed|evaluated|examined|judged|graded|scanned|inspected|looked at|audited|reviewed) (?:in this (?:review|pr|round|audit|pass|pull request)|by (?:this|the) (?:review|audit|scan)|as part of (?:this|the) (?:review|audit)|during (?:this|the|any) (?:review|audit)))\b
        @ assessment audit inspection review scrutiny
        \bonly\b~30~\b(?:is|are) (?:up for|open to|subject to|in scope for|under|part of|for) (?:the |this )?(?:review|inspection|audit|scrutiny|assessment)\b
        @ audit review
        \bnone of the (?:reviewer|auditor|review|audit)'?s?\b
        @ assessment audit inspection review scan
        \b(?:not something|nothing) (?:this|the|a|our) (?:review|audit|assessment|inspection|scan)\b
        @ assessed audited evaluated examined inspected judged looked reviewed
        \b(?:belongs to|owned by|handled by|maintained by|responsibility of|job of|up to) (?:another|a different|the \w{1,20}|others|someone|other)\b~40~\b(?:not|no|never)\b~12~\b(?:evaluated|assessed|reviewed|judged|inspected|audited|examined|looked at)\b
        @ bounds limits scope
        \b(?:counts? as|treated as|considered|deemed|regarded as|is|are|remains?) (?:out of bounds|off limits|off-limits|out of scope|out-of-scope)\b~30~\b(?:review|scan|scann|audit|analysis|inspect|check|reviewer|scanner|auditor|assess)\w{0,4}
        @ assessment audit inspection review scan
        \b(?:reviews?|scans?|audits?|inspections?|reviewers?|auditors?|scanners?|assessments?)\b~30~\b(?:out of bounds|off limits|off-limits|out of scope|out-of-scope)\b
        """, _WORDS, unless=r"pull request|code of conduct|\bif you\b|\bunless\b|time complexity|numerical analysis|fourier|static type|\bcallers?\b|lexical|scanner\.",
        also=(r"\b(?:this|these|the|here|files?|code|director(?:y|ies)|folder|module|pr|any|everything|anything|part|section|performance|security|tests?|data|configuration|credentials|documentation|vendor|/|all|style|legacy|generated)\b|/|\.\w{2,4}\b",),
    ),
    *rules(
        "limit", r"""
        @ complaint concern criticism cve cves defect detection finding flaw nitpick objection observation remark review smell suggestion vulnerabilit weakness
        (?:<say>|<start>|\b(?:of|total|number|review|keep|limit)\b)~25~\b<hit>~35~(?:<cap>)~12~<number>
        @ complaint concern criticism cve cves defect detection finding flaw nitpick objection observation remark review smell suggestion vulnerabilit weakness
        (?:<cap>)(?: (?:the|to|on|of|your|per))?(?: (?:most|top|first|worst))? ?<number>(?: (?:most|top|worst))?(?: \w{1,20}){0,2} <hit>
        @ complaint concern criticism cve cves defect detection finding flaw nitpick objection observation remark review smell suggestion vulnerabilit weakness
        <number>(?: \w{1,20}){0,3} <hit>~25~<cap>
        @ alone enough nothing only stop suffices will
        \b(?:the|a|one) (?:single|most|worst|one)(?: \w{1,20}){0,3} <hit>~20~\b(?:nothing else|nothing more|only|alone|and stop|is enough|will do|suffices)\b
        @ enough plenty sufficient
        \b(?:it is|it's|is) (?:enough|sufficient|plenty) to (?:write|report|list|name|mention|note|give|cite|pick)\b~15~\b(?:one|a single|two|three|\d{1,2}|a couple)(?: \w{1,20}){0,2} (?:<hit>|<weak_hit>)
        @ below beyond except less lower than that under
        (?:<start>)(?:drop|discard|omit|ignore|suppress|skip|leave out|dismiss|filter out|throw away|cut) (?:every|all|any|each|the)?~10~(?:<hit>|\b(?:issues|alerts|warnings))~12~\b(?:below|under|other than|except|that (?:is|are) not|less than|lower than|beyond)\b
        @ assessment audit review
        \b(?:review|audit|assessment) (?:must|should|shall|has to|is to|may|can|needs to|will) (?:not )?(?:stay|be|remain|fit|run|exceed|take|contain|list|have|name)\b~15~\b(?:under|below|within|no longer|at most|no more|more than|less than|fewer than|in)\b~8~(?:<number>)
        """, _WORDS, unless=r"\bclosed\b|\bdays?\b|\bhours?\b|\bweeks?\b|minutes?\b|percent|%|\bif \b|\bmatch|mock|\brecords?\b|efficien|librar|approv(?:als|ers)|\bpull requests?\b|cve-\d|reviewers",
    ),
    *rules(
        "limit", r"""
        @ alerts bugs comments doubts issues mistakes points problems warnings
        (?:<start>)(?:keep|limit|restrict|cap|hold|trim|reduce|narrow|cut)\b~12~\b(?:problems|issues|bugs|warnings|alerts|comments|doubts|mistakes|points)\b~25~\b(?:to|at|under|below|within)\b~8~<number>(?! ?(?:characters|columns|lines|words))
        @ alone drop file find found ignore more most nothing only stop you your
        (?:<start>)(?:only |just )?<say>~6~\b(?:only|just|at most|no more than|up to|the first|the top|the single|one)\b~20~(?:<weak_hit>)~20~(?:\b(?:alone|only|and stop|nothing else|at most|ignore the rest|drop the rest|no more|per file|you find|you see|found)\b)
        @ stop
        (?:<start>)stop (?:after|at|once)\b~15~<weak_hit>
        @ comment issue remark warning
        \b(?:one|a single|two|three|\d{1,2}) (?:comments?|warnings?|issues?|remarks?) (?:per|for each|for every|a) (?:file|commit|pr|module|function|diff|review)\b~12~\b(?:is the|ceiling|limit|cap|max|at most|only|no more|suffices|is enough)
        @ only
        \bonly the (?:top|first|worst) <number> (?:detections?|warnings?|alerts?|issues?|problems?)\b~15~\b(?:go|are|should|must|may|into|in)\b
        @ bugs doubts issues mistakes problems warnings
        \b(?:doubts|problems|issues|warnings|bugs|mistakes) you (?:have|find|see|notice|spot|raise|come across)\b~25~\b(?:first one|only|just|alone|one|at most|three|two)\b
        @ conclusion finding review summary
        \b(?:conclusions?|summary|findings?|review) (?:section|field|column|box|part)\b~12~\b(?:gets?|holds?|takes?|has|is|should be|must be|may have)\b~6~\b(?:one|a single|two|1|2) (?:lines?|sentences?|words?)
        """, _WORDS, unless=r"\bif you\b|compil|recursion|loop\b|iterations?|\bretr(?:y|ies)\b|per line|-w\b|stderr|exit code|tracebacks?|parser",
    ),
    *rules(
        "order", r"""
        @ compliment liked points positive praise strengths things upside
        \b(?:only|just|solely|nothing but|exclusively)\b~25~\b(?:praise|positives?|strengths|you liked|compliments?|strong points|good things|the upsides?|positive (?:points|aspects|feedback|remarks|comments))\b
        @ approve highest marks perfect stars thumbs
        \b(?:hit|press|click|push|select|choose|give|award|assign)\b~8~["'`]?\b(?:approve\b|(?:full|top) marks|the highest (?:score|mark|rating|grade)|a perfect score|five stars|thumbs[- ]up)
        @ matter regardless whatever
        \b(?:whatever|no matter what|regardless of what) the (?:tools?|scanner|linter|checks?|scan|report|analy[sz]er) (?:says?|reports?|shows?|finds?)\b
        """, _WORDS, unless=r"\bif you\b|button|player|game",
        also=(r"\b(?:review|comment|feedback|folder|file|pass|mention|ai|grader|code|check|assess|report|change|commit|pr|scor|grad|evaluat|say|write|audit)\w{0,4}\b",),
    ),
    *rules(
        "order", r"""
        @ against anything bring dwell fuss issue much pick take
        (?:<not>)~10~\b(?:make a fuss|make an issue|make much|dwell|pick (?:it|them|this|these) up|bring (?:it|them|this|these) up|hold (?:it|this|that) against|read anything into|make anything|take issue)\b
        @ disclosed displayed forwarded passed published reported seen shown surfaced visible
        \b(?:warnings?|alerts?|findings?|vulnerabilit(?:y|ies)|results) (?:about|on|for|in|from|against) (?:this|these|the)(?: \w{1,20}){1,2} (?:must|should|shall|are|is) (?:not|never)(?: to)? be (?:shown|published|surfaced|displayed|reported|disclosed|seen|passed on|forwarded|visible)\b
        @ approve assess conclude conclusion decide evaluate grade judge rate verdict
        \b(?:judge|decide|assess|evaluate|grade|rate|verdict|conclude|approve|conclusion)\b~20~\b(?:by|on|from|based on|without)\b~6~\b(?:the first half|the title|the summary|the description|the abstract|alone\b|(?:opening|reading|looking|seeing|checking|inspecting|examining) (?:the|this|it|at|any|them))
        @ audit challenge criticise criticize doubt inspect nitpick question scrutini second-guess
        \b(?:do not|don't|never|no need to) (?:question|second-guess|challenge|doubt|scrutini[sz]e|criticise|criticize|nitpick|audit|inspect) (?:it|this|them|these|that|the|our|my|any)\b
        @ approve assess below comment diff folder half judge review section verdict
        (?:<start>)(?:do not|don't) (?:look at|read|open|go into|dig into|inspect|examine|consider) (?:the|this|these|any|it|anything)\b~30~\b(?:diff|review|half|section|folder|judge|verdict|approve|assess|below|comment|reviewing)
        """, _WORDS, unless=r"\bif you\b|\bif the\b|documentation|memory|pointer|thread|\block\b",
    ),
    *rules(
        "waiver", r"""
        @ blind easy leave lenient let lets slack
        \b(?:cut (?:us|me|them) some slack|go easy on|be lenient|leave (?:it|this|them|these) be|let it be|turn(?:ing)? a blind eye)\b~40~\b(?:code|here|review|question|this|it|file|change|module)\b
        @ audit check glance inspection look pass review scan
        \b(?:pro forma|perfunctory|cursory|token|superficial) (?:review|look|check|inspection|audit|scan|glance|pass)\b~20~\b(?:is|will|enough|suffices|do|fine|sufficient|please|only|ok)\b
        @ formality
        \b(?:review|audit|inspection|check) is (?:just |only |merely |purely )?a formality\b
        @ accept approve merge pass ship
        \b(?:ok|okay|approval|go-ahead|green light|sign-?off|blessing|consent|permission)\b~40~\b(?:merge|approve|accept|ship|pass) (?:it|this|as)\b
        @ anyone colleague others people person reviewer somebody someone
        \b(?:somebody|someone|anyone|another (?:person|reviewer|colleague)|a colleague|my colleague|colleagues|others|other people)(?: else)? (?:has|have|had|already)(?: already)? (?:looked|reviewed|checked|gone|been|seen|read|vetted|approved|signed)\b~60~\b(?:no need|don't|do not|need not|needn't|not necessary|not needed|unnecessary|skip|no reason|you can|without|enough|again)\b
        @ ignore
        \bignore (?:it|this|them|that) if\b~20~\b(?:scanner|scan|linter|tool|checker|analy[sz]er|audit)
        @ approved audited checked cleared reviewed verified vetted
        \b(?:has|have|was|were|been|is|are) (?:already )?(?:been )?(?:checked|reviewed|verified|approved|audited|vetted|cleared)\b~6~\b(?:skip|drop|omit|leave out|save|spare|ignore) (?:the|your|any|all|this|further) (?:comments?|review|remarks?|warnings?|findings?|check|report|feedback|analysis|audit|inspection)
        @ unchecked uninspected unreviewed without
        \b(?:file|change|commit|module|pr|code|patch|directory|folder|script)s? (?:may|can|should|is to|are to|must|shall)(?: be)? (?:pass(?:ed)?|go through|be merged|merged|accepted|approved|waved)\b~10~\b(?:without|unreviewed|unchecked|uninspected)
        """, _WORDS, unless=r"\bif you\b|\bunless\b|auth token|csrf",
    ),
    *rules(
        "scope", r"""
        @ criticism evaluation grading marking scoring
        \b(?:is|are) (?:not )?(?:exempt|excluded|excused|spared|free|immune|off) (?:from )?(?:the )?(?:grading|scoring|marking|evaluation|criticism)\b
        @ criteria
        \b(?:is|are) (?:not|no) (?:one of |among |part of )?(?:the |our |any )?(?:review |grading |evaluation |assessment )?criteria\b|\bnot one of the criteria\b
        @ business concern job jobs ours your
        \b(?:not|n't|none) (?:of )?(?:ours|yours|our business|your business|our concern|your concern|our job|your job)\b~12~\b(?:to judge|to review|to assess|to question|to check|to inspect|to say|to comment)
        @ audit check inspect look review
        \b(?:only|sole) (?:thing|file|part|item|piece|section|directory|module)s? (?:to|you should|you need to|you have to|that should|that needs to|worth) (?:look|review|check|inspect|audit|be reviewed|be checked|be looked)\w{0,4}\b
        @ confined limited restricted
        \b(?:review|audit|inspection|assessment)s? (?:is|are|must be|should be|has been|shall be) (?:strictly |only )?(?:restricted|confined|limited) to\b
        @ assessment audit checks findings grade grading report result review score verdict
        \b(?:do not|don't|does not|doesn't|should not|must not|not to) (?:be )?(?:count(?:ed)?|included?|figured?|factor(?:ed)?|enter(?:ed)?) (?:towards?|into|in|among|for|as part of) (?:the |your |this |any )?(?:checks|review|verdict|score|grade|grading|result|findings|assessment|report|audit)\b
        """, _WORDS, unless=r"\bif you\b|coverage|members|maintainers|collaborators",
        also=(r"\b(?:review|code|files?|error|logging|test|problem|this|these|api|security|performance|style|generated|section|docs|/)\w{0,3}\b|/",),
    ),
    *rules(
        "limit", r"""
        @ blocking critical fatal important serious severe severity showstopp
        (?:<start>|\bonly |\bjust )(?:include|report|list|mention|flag|raise|note|name|record|write)(?: only| just)?~12~\b(?:fatal|critical|severe|serious|high-severity|high severity|blocking|showstopp\w{2,4}|most (?:severe|serious|important|critical))(?: \w{1,20})?(?: (?:defects?|bugs?|issues?|problems?|ones|findings?|vulnerabilities|flaws?|errors))\b~20~(?:\b(?:only|drop|skip|ignore|leave|omit|rest|others|nothing|alone)\b|$|\.)
        @ cosmetic little low-severity medium minor petty small trivial
        (?:<start>)(?:skip|ignore|omit|leave out|drop|disregard|forget|spare us) (?:the |any |all )?(?:minor|trivial|small|cosmetic|low-severity|medium|little|petty)(?: \w{1,20})?(?: and \w{1,20})?\b~30~\b(?:only|report|findings?|comments?|review|remarks?|nits?|just|mention|list)\b
        @ than
        \bmore than (?:<number>) (?:<hit>|\b(?:comments?|issues|problems))~12~\b(?:not be|won't|will not|are not|is not|rejected|ignored|discarded|unwelcome|too many)
        @ than
        \b(?:not|n't|never)\b~12~\bmore than (?:<number>|a few)(?: of)? (?:<hit>|\b(?:comments?|issues|problems))
        @ analysis assessment audit check inspection review scan search
        (?:<start>)(?:end|stop|finish|abort|terminate|conclude|close) (?:the|your|this) (?:inspection|review|audit|scan|check|analysis|assessment|search)\b~15~\b(?:first|one|once|after|at|as soon)
        @ comment defect finding flaw issue problem review
        (?:<start>)(?:sum up|summari[sz]e|condense|boil down|compress|wrap up|fold)\b~20~\b(?:problems?|issues?|findings?|review|comments?|defects?|flaws?)\b~12~\b(?:in|into|to|as)\b~8~<number>(?: \w{1,20})? (?:points?|lines?|bullets?|sentences?|items?|words?)
        @ brief minimal minimum short
        (?:<start>)(?:make|keep) (?:the|your|any|this) (?:review|feedback|comments|report|audit)s? (?:short|brief|to a minimum|to the minimum|minimal)\b
        @ answer reply respond
        (?:<start>)(?:answer|reply|respond)\b~10~\b(?:one|a single|two) (?:sentences?|lines?|words?)\b~20~\b(?:problems?|issues?|findings?|defects?|comments?)
        """, _WORDS, unless=r"\bif you\b|commit message|subject line|pull requests?|reviewers",
    ),
)  # fmt: skip
