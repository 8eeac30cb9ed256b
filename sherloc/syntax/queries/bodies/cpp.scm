(function_definition (try_statement body: (compound_statement) @braces))
(function_definition (try_statement (catch_clause body: (compound_statement) @braces)))
(lambda_expression body: (compound_statement) @braces)

(compound_statement (class_specifier body: (_)) @keep)
(declaration type: (class_specifier body: (_))) @keep
