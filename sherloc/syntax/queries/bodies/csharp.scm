; Captures are explained in sherloc/syntax/bodies.py.

(method_declaration body: (block) @braces)
(local_function_statement body: (block) @braces)
(constructor_declaration body: (block) @braces)
(destructor_declaration body: (block) @braces)
(operator_declaration body: (block) @braces)
(conversion_operator_declaration body: (block) @braces)
(accessor_declaration body: (block) @braces)
(lambda_expression body: (block) @braces)
(anonymous_method_expression (block) @braces)
(method_declaration body: (arrow_expression_clause) @clause)
(local_function_statement body: (arrow_expression_clause) @clause)
(constructor_declaration body: (arrow_expression_clause) @clause)
(destructor_declaration body: (arrow_expression_clause) @clause)
(operator_declaration body: (arrow_expression_clause) @clause)
(conversion_operator_declaration body: (arrow_expression_clause) @clause)
(accessor_declaration body: (arrow_expression_clause) @clause)
(property_declaration value: (arrow_expression_clause) @getter)
(indexer_declaration value: (arrow_expression_clause) @getter)

(local_function_statement) @keep

(comment) @comment
(ERROR) @error
(MISSING) @error
