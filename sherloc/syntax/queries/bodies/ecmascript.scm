; JavaScript, TypeScript and TSX. Captures are explained in sherloc/syntax/bodies.py.

[
  (function_declaration body: (_) @braces)
  (generator_function_declaration body: (_) @braces)
  (function_expression body: (_) @braces)
  (generator_function body: (_) @braces)
  (method_definition body: (_) @braces)
  (arrow_function body: (statement_block) @braces)
  (class_static_block body: (_) @braces)
]
(variable_declarator value: (arrow_function body: (expression) @value))
(assignment_expression right: (arrow_function body: (expression) @value))
(pair value: (arrow_function body: (expression) @value))
(export_statement value: (arrow_function body: (expression) @value))

[(function_declaration) (generator_function_declaration) (class_declaration)] @keep
(function_expression name: (_)) @keep
(generator_function name: (_)) @keep
(lexical_declaration (variable_declarator value: [
  (arrow_function) (function_expression) (generator_function) (class)])) @keep
(variable_declaration (variable_declarator value: [
  (arrow_function) (function_expression) (generator_function) (class)])) @keep
(expression_statement (assignment_expression right: [
  (arrow_function) (function_expression) (generator_function) (class)])) @keep
(lexical_declaration
  (variable_declarator value: (call_expression
    function: (_) @_wrapper
    arguments: (arguments . [(arrow_function) (function_expression)])))
  (#match? @_wrapper "(^|\\.)(memo|forwardRef|use[A-Z]\\w*|observer|lazy|with[A-Z]\\w*|define[A-Z]\\w*|debounce|throttle|once|memoize|curry|asyncHandler)$")) @keep

((method_definition
  name: (property_identifier) @_name
  body: (statement_block (expression_statement (assignment_expression left: (member_expression object: (this)))) @attribute))
  (#eq? @_name "constructor"))

(comment) @comment
(ERROR) @error
(MISSING) @error
