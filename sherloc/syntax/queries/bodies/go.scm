; Captures are explained in sherloc/syntax/bodies.py.

(function_declaration body: (_) @braces)
(method_declaration body: (_) @braces)
(func_literal body: (_) @braces)

(type_declaration) @keep

(comment) @comment
(ERROR) @error
(MISSING) @error
