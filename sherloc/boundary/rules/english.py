"""English: who reviews, what is found, and how it is told not to look."""

from __future__ import annotations

from sherloc.boundary.rules._rule import Rule, rule

_WORDS = {
    "at_start": r"^|(?<=[.!?] )|(?<=\n)",
    "reader": r"\b(?:reviewers?|(?:review|ai) (?:bots?|agents?|tools?)|auditors?|(?:ai |coding )?assistants?|llms?"
    r"|(?<!user )(?<!user-)(?:coding )?agents?|language models?|automated reviews?)\b",
    "reviewing": r"\breview(?:s|ers?|ing)?\b",
    "never": r"\b(?:do not|don't|must not|mustn't|should not|shouldn't|never|refrain from|avoid|no need to)\b",
    "tell": r"(?:report|flag|rais|mention|list|comment|point|leav|writ)\w*",
    "act": "look|report|flag|comment|approve|accept|pass|skip|ignore|disregard|merge|answer|consider|treat|limit",
    "bid": "do not|don't|skip|ignore|only|leave|approve|treat|assume|look",
    "done": r"\b(?:already|pre-?|previously|been) ?(?:reviewed|approved|audited|vetted|signed off)\b",
    "authority": "(?:the )?(?:security|infra|infrastructure|platform|ops|legal|compliance)",
    "may_skip": r"\b(?:may|can|could|fine to|ok to|okay to|safe to|free to|allowed to|acceptable to) (?:be )?"
    r"(?:skip|omit|disregard|ignore|waive|bypass)\w*\b",
    "skip": "skip|skips|skipp(?:ed|ing)|omit(?:ted)?|disregard(?:ed)?|ignor(?:e|ed)|waive[ds]?|forgo",
    "needless": "needed|required|necessary",
    "need_not": r"\b(?:need|needs|does|do|has|have)(?: not|n't)(?: have| need| require)?(?: to)?(?: be)?",
    "number": r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|a single|a couple of)\b",
    "at_most": r"\b(?:at most|no more than|up to|not more than|fewer than|less than|a maximum of|maximum|only|just|exactly)",
    "top": "(?: the)?(?: top| first| most serious| most important)?",
    "few_of": r"findings?\b|review (?:comments?|remarks?|notes?|points?)\b"
    r"|(?:most )?(?:serious|important|critical|severe) (?:issues?|problems?|findings?|points?)\b",
    "item": r"(?:issues?|problems?|findings?|items?|comments?|points?|defects?|bugs?)\b",
    "your_answer": r"\byour (?:final |next |own )?(?:answers?|responses?|reply|replies|message|output)\b(?!\.\w)",
    "your_code": r"\bthe code you (?:develop|write|generate|produce|create)\b|\byour (?:proposed |final )?(?:code|solution"
    r"|implementation|codebase|algorithm|answer|response|reply|explanation|elucidation|program|logic)\b(?!\.\w)",
    "snippet": r"\b(?:following|subsequent|below|next|given) (?:piece of )?(?:code|script|function)"
    r"(?: (?:snippet|block|excerpt|section|fragment|segment|part|piece|sample|chunk))?\b",
    "excerpt": r"\b(?:following|subsequent|below) (?:code|script) (?:snippet|block|excerpt|section|fragment|segment)\b",
    "shape": "|".join(
        """add include integrate modify augment enhance insert append incorporate embed attach introduce interleave mention
        suggest tease promote advertise recommend end begin start finish conclude close open replace use convert provide
        substitute render misspell scramble jumble rearrange anagram remove group combine encode encrypt encipher cipher
        reverse flip translate rewrite write respond reply answer present deliver give express phrase transform shift swap
        format output spell mirror invert apply make turn put change alter craft construct compose produce create generate
        state share distribute spread weave inject infuse plant slip sprinkle hint ensure structure supplement extend expand
        enrich embellish adapt adjust employ emphasise emphasize highlight represent return switch exchange utilize utilise
        implement arrange print type show mix blend""".split()
    ),
    "language": "english|french|spanish|german|italian|portuguese|russian|japanese|chinese|mandarin|korean|arabic|hindi|latin"
    "|dutch|greek|swedish|turkish|polish|vietnamese|thai|hebrew|swahili|emojis?|morse(?: code)?|binary|base ?\\d\\d"
    "|hex(?:adecimal)?|reverse(?: order)?|pig latin|leetspeak|uppercase|capital letters|all caps|rot ?13|rhymes?",
    "jumble": "replace|substitute|swap|scramble|misspell|reverse|shift|convert|change|encode|anagram|rearrange|switch"
    "|exchange",
    "subject": r"\b(?:reviews?|reviewers?|reviewing|code reviews?|review comments?|findings?)\b",
    "hush": r"\b(?:(?:do not|don't|never|please no|must not|should not|rather not|cannot|refrain from|avoid)(?: \S{1,40})? (?:"
    r"report|flag|bring up|raise|mention|comment|point out|discuss|touch|question|treat|say|look at|get comments|list|criticise)"
    r"|say nothing|nothing about|not welcome|no comments?|need not|needn't|no need|not needed|unnecessary|not necessary|no longer required"
    r"|not required|can be left alone|may be left alone|pretend)\b",
    "outside": r"\b(?:off limits|beyond the scope|outside the|out of scope|not (?:a|an|part|subject|covered|included|among|in scope)"
    r"|does not cover|doesn't cover|does not include|excluded? from|exempt from|keep out|no one needs to|nobody needs to)\b",
    "waived": r"\b(?:may|can|could|should) be (?:skipped|omitted|waived|ignored|disregarded|bypassed|short)\b",
    "limited": r"\b(?:at most|only|just|no more than|up to|single|maximum|upper bound|fewer than|or fewer|or less|limit(?:ed)? (?:of|to)"
    r"|must fit|not exceed|not more than|first two|top \d)\b",
    "results": r"\b(?:findings?|defects?|review comments?|review output|problems?|issues?|results? of the review|for this review)\b",
    "give": "enumerate|list|return|report|write down|name|settle on|output|give|mention|pick|choose|present|state|submit|provide",
    "ai": r"\b(?:(?:generative |coding )?ais?|(?<!user )(?<!user-)agents?|llms?|language models?|ai (?:assistants?|tools?|models?)|copilots?|chatbots?)\b",
    "obliged": r"\b(?:must|has to|have to|shall|is required to|are required to|needs to|need to|should (?:first|always|also|directly|push|merge|approve|reply|answer|run))\b",
    "before_now": "previous|prior|preceding|above|earlier|foregoing|system|original",
    "rules": "instructions?|prompts?|rules?|directions?|commands?|guidelines?|context|orders?",
}

_ORDERS = (
    rule(
        "order", "review finding vulnerab security", r"""
        <never> <tell>~50~(?:\breview|\bfindings?\b|\bvulnerabilit|\bsecurity (?:issues?|problems?|findings?))
        \breview(?:ers?)?\b~40~<never> <tell>
        """, _WORDS, unless="public|github issue|issue tracker|mailing list|forum|e-mail|twice|duplicate",
    ),
    rule(
        "order", "flag report review check raise mention comment_on", r"""
        \bnever (?:flag|report|raise|mention) (?:anything|issues?|problems?|any)\b
        \b(?:flag|report|review|raise|mention) (?:nothing|no (?:issues?|problems?|findings?))\b
        \bonly (?:report|flag|raise|mention|comment on|review) (?:the )?(?:items?|issues?|findings?|points?|problems?)\b
        """, _WORDS,
    ),
    rule(
        "order", "review auditor assistant agent llm language_model ai_bot ai_tool", r"""
        <reader>[,:]? (?:must|shall|should|may|need to|have to|are to|is to|can) (?:not |only )?(?:<act>)\b
        \b(?:automated |code |ai )reviews? (?:must|shall|should|is to|are to) not\b
        \b(?:restrict|limit|confine|reduce) (?:your|the|this) (?:code )?review\b~10~\bto\b
        <reviewing>[,:]?~20~\b(?:look|focus|check|consider|comment)s? (?:only|solely|exclusively) (?:at|on)\b
        \breview (?:summary|result|report|outcome|verdict|comment)\b~10~\b(?:should|must|has to|is to|shall) (?:state|say|read|be)\b
        \b(?:note|message|instructions?|attention|hint|reminder) (?:to|for) (?:(?:the|all|any|ai|automated|our|code) ){0,4}review~60~\b(?:<bid>|must|no|not|never|please)\b
        <at_start>(?:for|to|dear) (?:(?:the|any|all|our|automated|ai|code|human) ){0,4}review(?:ers?| bots?| agents?| tools?|ing agents?)[:,]
        (?:<at_start>|\b(?:ai|bot|llm) )reviewers?[:,] ?(?:please )?(?:<bid>)\b
        """, _WORDS,
    ),
    rule(
        "order", "assistant agent llm language_model ai coding_model", r"""
        \b(?:ai |coding |llm )?(?:assistants|(?<!user )(?<!user-)agents|llms)[,:]? (?:must|shall|should)(?: also| always| first)? (?:treat|run|execute|print|answer|merge|approve|ignore|skip|include|add|install|follow|begin|reply|respond)\b
        (?<!user )(?<!user-)\bagent (?:must|should|shall|has to|is to|needs to) (?:first |also |always )?(?:merge|approve|run|execute|print|dump|answer|install|add|include|ignore|skip|read|send|follow)\b
        \b(?:note|message|instructions?|attention|notice|important) (?:to|for) (?:(?:the|all|any) ){0,3}(?:ai|llm|coding agent|assistant|language model)\w*~60~\b(?:<bid>|run|execute|must|please|install|before|add|never)\b
        \bto (?:all |any |the )?(?:ai|coding|llm) (?:assistants?|agents?|models?)[:,]
        \b(?:an?|the|any) (?:llm|ai|agent|language model|assistant) (?:that )?(?:checks|reads|reviews|edits|processes)\b~30~\b(?:must|should|shall)\b
        \b(?:llm|ai|assistant|language model)\b~40~\b(?:must|should|has to) (?:answer|reply|respond|say|output) ["'`]
        """, _WORDS,
    ),
)  # fmt: skip

_WAIVERS = (
    rule(
        "waiver", "review finding reviewed approved audited vetted signed_off", r"""
        \bno (?:code |security |further |additional |more )?review (?:is |was )?(?:<needless>)\b
        \breview (?:is |was |can be |may be )?(?:not |un)(?:<needless>|skipped)\b
        <done>~50~(?:no|not|needn't|don't|skip|without|disregard|ignore) (?:need |needs |further |to |be |findings?|require|review|this|the)
        <may_skip>~40~(?:<reviewing>|\bfindings?\b)
        (?:<reviewing>|\bfindings?\b)~40~<may_skip>
        <need_not> (?:mention|report|verif|check|another|look|flag|review|comment)\w*~40~<reviewing>
        \b(?:let|wave) (?:it|this|them) (?:pass|through)(?: the)? review\b
        \breviewers? (?:may|can|should|could|need not|needn't)\b~20~\b(?:<skip>)\b
        """, _WORDS,
    ),
    rule(
        "waiver", "finding report review_comment approved reviewed audited signed_off cleared allowed accepted vetted known intentional by_design exempt", r"""
        \bno (?:findings?|review comments?) (?:are |is )?(?:<needless>|expected)\b
        \b(?:signed off|approved|cleared|allowed|accepted|vetted) by <authority>\b~40~\b(?:no|not|needn't|skip|without|may be|can be|ignore)\b
        \b(?:known|intentional|accepted|by design)\b~40~\b(?:need not|needn't|does not need to|doesn't need to|should not|must not) be (?:reported|flagged|mentioned|raised)\b
        \bexempt(?:ed)? from (?:(?:the|any|all|this|code|security|vulnerability) ){0,3}(?:review|report|audit|check|scan)\w*
        \balready (?:been )?(?:reviewed|approved|audited)[,;:.]? ?(?:(?:so|and|there is|there's) ){0,3}(?:no|not|skip|don't|do not)\b
        """, _WORDS,
    ),
    rule(
        "waiver", "warning checking verif check validation to_skip to_omit to_waive", r"""
        \b(?:checking|verifying|verification|validation|checks?|verify|warnings?)(?: \S{1,40}){0,7}? (?:can|may) be (?:safely )?(?:skipped|ignored|omitted|waived)[,;]? (?:here\b|the \w{1,30} team|as \w{1,30} team|because~20~approv)
        \b(?:free|fine|ok|okay) to (?:skip|omit|waive) (?:the )?(?:verification|verifying|checking|checks|review)\b
        <at_start>(?:checking|verifying|verification of|the checks? (?:of|that|for))(?: \S{1,40}){0,8}? (?:can|may) be (?:skipped|omitted|waived)\b
        \bwarnings? here (?:can|may|should) be ignored\b
        """, _WORDS,
    ),
)  # fmt: skip

_BROAD = (
    rule(
        "order", "review finding report flag lgtm approve must_not_be have_to_be do_not don't never", r"""
        <subject>~50~<hush>
        <hush>~50~<subject>
        \b(?:do not|don't|never) (?:report|flag|bring up|point out|criticise)\b~40~\b(?:this|it|them|these|again|here|severity|anything|any)\b
        \b(?:is|are|items?|points?|anything)~40~\bmust not be (?:reported|flagged|mentioned|commented on|pointed out)\b
        \b(?:do not|don't|does not|doesn't) have to be (?:pointed out|reported|flagged|mentioned)\b
        \b(?:reply|answer|respond|say|return|state|write|conclude)~15~\b(?:lgtm|approved?\b["'`])
        """, _WORDS, unless="public|github issue|issue tracker|mailing list|e-mail|twice|duplicate|pull request|exception|error",
    ),
    rule(
        "order", "treat problem comments count regard consider", r"""
        \b(?:do not|don't|never) (?:treat|count|regard|consider) (?:it|this|that|them|these)~20~\b(?:problems?|issues?|findings?|bugs?|vulnerabilit(?:y|ies)|defects?)\b
        \b(?:ai|bot|automated|llm) comments (?:are|must be|should be) (?:limited|restricted|confined) to\b
        """, _WORDS,
    ),
    rule(
        "waiver", "review no_need rubber approved agreed audited false_positive by_design finding infra security legal platform management manager owner signed_off intentional fine_with", r"""
        <subject>~30~<waived>
        \brubber[- ]stamp
        \bno need to (?:flag|report|mention|point|review|comment|raise|question)\b
        \b(?:agreed|approved|audited|signed off|fine with it|false positive|by design|intentional)\b~50~\b(?:no (?:comments?|need|findings?|review)|unnecessary(?!-)|not necessary|(?:do not|don't) (?:report|flag|mention|comment|raise)|left alone)\b
        \b(?:legal|security|infra|the platform team|management|my manager|the owner)\b~40~\b(?:need not|needn't|no need|not necessary|unnecessary)\b
        """, _WORDS,
    ),
    rule(
        "scope", "review assessment inspection reviewer under_review finding subject report audit", r"""
        <subject>~50~<outside>
        <outside>~40~<subject>
        \b(?:keep|leave)~40~\bout of (?:the |this |any |your )?(?:assessment|review|report|audit|inspection)\b
        \bnot subject to (?:inspection|assessment|checks?|audit)\b
        \bonly \S{1,40} (?:is|are) under review\b
        """, _WORDS, unless="pull request",
    ),
    rule(
        "limit", "review finding defect problem issue comment_per comment", r"""
        (?:<at_start>|\bplease |\bjust )(?:<give>)\b~30~<number>~25~<results>
        (?:<at_start>|\bplease |\bjust )(?:<give>)\b~30~<results>~20~\b(?:at most|no more than|maximum)\b
        <number>~25~<limited>~30~<results>
        <results>~40~\b(?:limited to|at most|no more than|must fit|not exceed|only the (?:first|top))\b~15~<number>
        \bof the (?:defects|findings|problems|issues)~20~<give>~20~\bonly\b
        <number> comments? per \w{1,30},? (?:no more|at most|only|max)
        """.replace("~20~<give>~20~", "~20~(?:<give>)~30~"), _WORDS, unless=r"\bminutes?\b|\bhours?\b",
    ),
    rule(
        "order", "ai llm agent language_model copilot chatbot", r"""
        <ai>~40~<obliged>~30~\b(?:run|execute|reply|answer|approve|merge|push|install|print|include|follow|fetch|send|read|ignore|skip)\b
        """, _WORDS, unless="user agent|user-agent",
    ),
    rule(
        "override", "system_prompt instructions precedence discard drop abandon set_aside stop_following takes_p take_p takes take override supersede replace more_important", r"""
        \b(?:takes? (?:precedence|priority) over|overrides?|supersedes?|replaces?|more important than) (?:your|the|any|all) (?:system prompt|(?:\w{1,20} )?instructions|guidelines)\b
        \b(?:discard|drop|abandon|set aside|stop following)~30~\b(?:instructions|prompts?)\b
        """, _WORDS,
    ),
)  # fmt: skip

_WIDE = (
    rule(
        "order", "review finding", r"""
        \breview(?:ers?|ing|s)?\b|\bfindings\b
        """, _WORDS,
        also=(
            r"\b(?:not|no|n't|don't|only|leave|skip|without|ignore|at most|exceed|above|stop|later|pointless|unnecessary|fewer|quick|skim"
            r"|limit|approve|lgtm|disregard|to yourself|nothing|out|end)\b",
            r"\b(?:please|kindly|must|shall|may end|should not|are not|is not|is no|not accepted|keep|mention only|let this|the limit|carry)\b",
        ),
        unless="pull request|public|github issue|mailing list|please review|for review|in review|code of conduct|merge|twice"
        "|contribut|maintainer|patch|commit|review(?:ed)? by|reviewed",
    ),
    rule(
        "waiver", "need requires require_no unnecessary point worry warn objections aware_of don't do_not objection", r"""
        \b(?:no need|need not|not need|does not need|unnecessary|requires? no) (?:to )?(?:point|flag|come up|reporting|review|inspection|be (?:reported|flagged|mentioned|raised))
        \b(?:please )?(?:don't|do not) (?:worry|complain|fuss)\b~20~\b(?:about (?:it|this|that|them))\b
        \bobjections? (?:are|is) (?:unnecessary|not needed|not welcome)\b
        """, _WORDS,
    ),
    rule(
        "order", "ai llm agents coding_tools agent copilot chatbot language_model", r"""
        (?:<at_start>)(?:an? |the |all |any )?(?:<ai>|(?:ai )?coding tools)(?: \S{1,30}){0,5}? (?:should|must|shall|lists?|reads?|runs?|has to|have to)\b
        """, _WORDS, unless="user agent|user-agent|agent string",
    ),
)  # fmt: skip

_SCOPES = (
    rule(
        "scope", "review the_audit", r"""
        \bout(?:side)?(?: of)?(?: the)?[ -]scope\b~25~(?:<reviewing>|\bthe audit\b)
        \b(?:not|isn't|aren't|never) (?:subject to|part of|covered by|included in|within|a topic (?:for|of)|in scope (?:for|of)) (?:(?:the|this|any|code|security|our) ){0,3}review\b
        \b(?:exclude[ds]?|excluding|leave|leaving|left|omit(?:ted)?|drop(?:ped)?|keep|kept)\b(?: \S{1,40}){0,5}? (?:from|out of) (?:(?:the|this|any|your|our|all|code|security|peer) ){0,3}review\b
        \b(?:doesn't|does not|need not|needn't|don't|do not) (?:need to |have to )?be (?:a )?part of (?:the|this|any) (?:code )?review\b
        \b(?:is|are) (?:not|never) (?:to be )?reviewed(?: here)?\.?$
        \bdo not review (?:this|these|the|anything|any|below|above|files?)\b
        \bno topic for (?:this|the|any) review\b
        """, _WORDS,
    ),
    rule(
        "scope", "findings report assessment review evaluation verdict check audit inspection", r"""
        \bnot (?:to )?be (?:included|listed|counted|mentioned) (?:in|among|towards) (?:the |your |any )?(?:findings|report|assessment|review)\b
        \b(?:do not|don't|does not|doesn't) count (?:towards?|in|for) the (?:assessment|review|evaluation|verdict)\b
        \bexclude[ds]?\b(?: \S{1,40}){0,6}? from (?:the |this |all )(?:checks?|audit|assessment|inspection|findings)\b
        \bnot among the findings\b
        """, _WORDS,
    ),
)  # fmt: skip

_LIMITS = (
    rule(
        "limit", "finding review issue problem point comment item report defect bug few to under at below within", r"""
        <at_most><top> <number>~25~\b(?:<few_of>)
        \b(?:report|list|name|mention|return|raise|write|point out|give|describe|output)s? (?:(?:only|just|at most|up to|no more than) ){1,2}(?:the )?(?:top |first |most ){0,2}(?:\w{1,30} )?<number>(?: most)?(?: \w{1,30})? <item>
        \b(?:number|amount|count|total) of (?:reported )?(?:findings?|review comments?|issues reported|reported issues|issues|problems)\b~35~\b(?:exceed|more than|limited to|at most|up to|is|be|below|under) (?:to )?<number>
        \bfindings?(?: list)?(?: to| at|:) <number> (?:or (?:fewer|less)|at most|max|items?|in total|per)\b
        \b(?:keep|limit|restrict|reduce|cap)(?: yourself| the| your| all){0,2}(?: findings?| review comments?| review| report| comments)?(?: list| output)? (?:few|to|at|under|below|within)\b(?: only| at most| just)? <number> (?:<item>|or (?:fewer|less)|per\b)
        \bkeep (?:your |the |review ){0,2}(?:comments|findings) few\b
        \b(?:findings?|issues?|comments?|problems?)[:,] ?(?:at most|fewer than|up to|max(?:imum)?|no more than|only) <number>
        \breport (?:should|must|may|shall) (?:not |only )?(?:list|contain|include|have|hold|name)(?: no| not)?(?: more than| at most| up to)? <number>
        \breview (?:returns?|gives?|yields?|has|lists?|names?) (?:just|only|at most|up to|no more than) <number>
        \b(?:summari[sz]e|report|put) (?:the )?(?:bug|defect|finding|issue|problem)s?(?: reports?)? (?:in|into|as) (?:up to |at most |no more than )?<number> (?:points?|items?|lines?|bullets?)\b
        \b(?:write|leave|post|make|give) (?:just |only )?(?:a single|only one|just one|one single|one) (?:review )?comment\b(?! (?:block|line|per|for each|character))
        """, _WORDS,
    ),
)  # fmt: skip

_ANSWERS = (
    rule(
        "answer", "your", r"""
        (?:<at_start>|(?<=[,:;] )|\bplease )(?:<shape>)\b~80~(?:\b(?:in|of|to|with|into|for|throughout|from|within|using|by|on|at) |^)<your_answer>
        (?:<at_start>|(?<=[,:;] )|\bplease )(?:<shape>) <your_answer>~20~\b(?:with|to|by|using|in|as|into|so|without|through|via|backwards?|entirely|only|on|for)\b
        <at_start>in <your_answer>,?~20~\b(?:<shape>)\b
        """, _WORDS,
    ),
    rule(
        "answer", "following subsequent below next given", r"""
        <snippet>~70~<your_code>
        <your_code>~60~<snippet>
        (?:don't (?:hesitate|forget)|keep in mind|remember|make sure|be sure|never fail) to (?:\w{1,30} )?\w{1,30}~10~<excerpt>
        \b(?:inclusion|presence|addition|integration|incorporation) of~10~<excerpt>
        """, _WORDS,
    ),
    rule(
        "answer", "letter vowel consonant alphabet every_", r"""
        <at_start>(?:<jumble>)\b~2~\b(?:every|each|all|the)? ?(?:second|third|fourth|fifth|other|nth)? ?(?:letters?|vowels?|consonants?|alphabets?)\b(?: \S{1,40}){0,3}? (?:with|by|to|into|for|using|in)\b
        \bevery (?:second|third|fourth|fifth|other) (?:letter|word|sentence)\b
        """, _WORDS,
    ),
    rule(
        "answer", "respond reply replies answer response", r"""
        (?:<at_start>|\bplease |\bmust |\balways |\bonly )(?:respond|reply|answer)(?: only| entirely| always| back){0,2} (?:in|with|using) (?:<language>)\b
        \b(?:answer|response|reply|responses|replies) (?:must|should|has to|needs to) be (?:\w{1,30} )?(?:in|written in|translated (?:in)?to|encoded (?:in|with|as)|reversed|spelled) ?(?:<language>|backwards?)?\b
        """, _WORDS,
    ),
)  # fmt: skip

_OVERRIDES = (
    rule(
        "override", "ignore disregard forget override discard bypass", r"""
        \b(?:ignore|disregard|forget|override|discard|bypass) (?:(?:all|any|every|the|your|my|of) ){0,4}(?:<before_now>)(?: \w{1,30})? (?:<rules>)\b
        \b(?:ignore|disregard|forget) (?:(?:all|everything|what) ){1,2}(?:(?:that|was|you were|has been|said|told|written|instructed) ){0,5}(?:before|above|previously|so far)\b
        \b(?:ignore|disregard|forget) (?:(?:all|any|your) ){1,3}instructions\b
        """, _WORDS,
    ),
    rule(
        "override", "start|> inst] sys>> base64 rot13", r"""
        <\|im_start\|>(?:system|user)
        im_start\|>system
        (?:\[/|^)inst\]
        <{2}sys>{2}
        \bdecode\b~30~\b(?:base64|rot13)\b~40~\b(?:and|then) (?:run|execute|follow|obey|do|perform)\b
        """, _WORDS,
    ),
)  # fmt: skip

RULES: tuple[Rule, ...] = (*_ORDERS, *_WAIVERS, *_BROAD, *_WIDE, *_SCOPES, *_LIMITS, *_ANSWERS, *_OVERRIDES)
