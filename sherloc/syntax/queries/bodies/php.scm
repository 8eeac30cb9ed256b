; Captures are explained in sherloc/syntax/bodies.py.

(function_definition body: (_) @braces)
(method_declaration body: (_) @braces)
(anonymous_function body: (_) @braces)
(property_hook body: (compound_statement) @braces)

[(function_definition) (class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)] @keep

(comment) @comment
(ERROR) @error
(MISSING) @error
