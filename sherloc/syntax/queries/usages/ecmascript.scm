; JavaScript, TypeScript and TSX. Captures are explained in sherloc/syntax/usages.py.

(call_expression function: (identifier) @call)
(new_expression constructor: (identifier) @call)
(member_expression object: (_) @object property: [(property_identifier) (private_property_identifier)] @member)
(call_expression arguments: (arguments (object (pair key: (property_identifier) @option))))
(call_expression arguments: (arguments (object (shorthand_property_identifier) @shorthand)))
(import_statement
  (import_clause (named_imports (import_specifier name: (identifier) @imported)))
  source: (string (string_fragment) @source)) @import
(import_specifier alias: (identifier) @bound)

(variable_declarator name: (_) @bound)
(function_declaration name: (_) @bound)
(generator_function_declaration name: (_) @bound)
(function_expression name: (_) @bound)
(class_declaration name: (_) @bound)
(formal_parameters (_) @bound)
(arrow_function parameter: (_) @bound)
(catch_clause parameter: (_) @bound)
(for_in_statement left: (_) @bound)
(import_clause) @bound
(namespace_import (identifier) @bound)
(method_definition name: (_) @field)
(pair key: (property_identifier) @defined)
(shorthand_property_identifier) @defined
(assignment_expression left: (member_expression property: (_) @defined))
(assignment_expression left: (member_expression object: (this) property: (_) @field))
(class_declaration body: (_) @class)
(string_fragment) @quoted
