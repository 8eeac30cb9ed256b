; Captures are explained in sherloc/syntax/bodies.py.

(function_body (block) @braces)
(function_body "=") @clause
(anonymous_initializer (block) @braces)
(secondary_constructor (block) @braces)
(property_declaration (lambda_literal) @arrow)
(property_declaration (lambda_literal "->" @from))
(property_delegate (call_expression (annotated_lambda (lambda_literal) @arrow)))
(property_delegate (call_expression (annotated_lambda (lambda_literal "->" @from))))

[(function_declaration) (class_declaration) (object_declaration)] @keep

[(line_comment) (block_comment)] @comment
(ERROR) @error
(MISSING) @error
