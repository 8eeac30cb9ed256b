; Captures are explained in sherloc/syntax/bodies.py.

(method_declaration body: (_) @braces)
(constructor_declaration body: (_) @braces)
(compact_constructor_declaration body: (_) @braces)
(static_initializer (block) @braces)
(class_body (block) @braces)
(lambda_expression body: (block) @braces)

[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration)] @keep

[(line_comment) (block_comment)] @comment
(ERROR) @error
(MISSING) @error
