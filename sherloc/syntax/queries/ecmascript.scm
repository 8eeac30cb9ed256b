; JavaScript, TypeScript and TSX. Captures are explained in sherloc/syntax/nesting.py.

(function_declaration name: (_) @name body: (_) @body) @def.function.function
(generator_function_declaration name: (_) @name body: (_) @body) @def.function.function
(class_declaration name: (_) @name body: (_) @body) @def.class.class
(function_expression name: (_) @name body: (_) @body) @def.function.expression
(generator_function name: (_) @name body: (_) @body) @def.function.expression
(method_definition name: (_) @name body: (_) @body) @def.method.method
(method_definition "get" @is.getter)
(method_definition "set" @is.setter)

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
) @def.function.function
; A wrapper hands the function on: users call it by the variable, whatever its own name.
(variable_declarator
  name: (identifier) @name
  value: (call_expression
    function: (_) @wrapper
    arguments: (arguments . [(arrow_function body: (_) @body) (function_expression body: (_) @body)] @same))
  (#match? @wrapper "(^|\\.)(memo|forwardRef|use[A-Z]\\w*|observer|lazy|with[A-Z]\\w*|define[A-Z]\\w*|debounce|throttle|once|memoize|curry|asyncHandler)$")
) @def.function.function
(variable_declarator
  name: (identifier) @name
  value: (call_expression
    function: (_) @wrapper
    arguments: (arguments . (call_expression
      arguments: (arguments . [(arrow_function body: (_) @body) (function_expression body: (_) @body)] @same))))
  (#match? @wrapper "(^|\\.)(memo|forwardRef|use[A-Z]\\w*|observer|lazy|with[A-Z]\\w*|define[A-Z]\\w*|debounce|throttle|once|memoize|curry|asyncHandler)$")
) @def.function.function
; Called at once: what stands in it is the module that it makes.
(variable_declarator
  name: (identifier) @name
  value: (call_expression function: [
    (parenthesized_expression [(arrow_function body: (_) @body) (function_expression body: (_) @body)] @same)
    (function_expression body: (_) @body) @same])
) @def.function.function
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: (call_expression function: [
    (parenthesized_expression [(arrow_function body: (_) @body) (function_expression body: (_) @body)] @same)
    (function_expression body: (_) @body) @same])
) @def.function.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class.class
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
) @def.function.function
(assignment_expression left: [(identifier) (member_expression)] @name right: (class body: (_) @body)) @def.class.class
(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
) @def.method.method
(export_statement
  "default" @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
) @def.function.function
(export_statement "default" @name value: (class body: (_) @body)) @def.class.class

(variable_declarator name: (identifier) @name value: (object)) @def.scope.object
(assignment_expression left: [(identifier) (member_expression)] @name right: (object)) @def.scope.object
(pair key: [(property_identifier) (string)] @name value: (object)) @def.scope.object

(export_statement declaration: (_)) @wrap
(lexical_declaration (variable_declarator value: [(arrow_function) (function_expression) (generator_function) (class)])) @wrap
(variable_declaration (variable_declarator value: [(arrow_function) (function_expression) (generator_function) (class)])) @wrap
(lexical_declaration
  (variable_declarator value: (call_expression arguments: (arguments . [(arrow_function) (function_expression)])))) @wrap
(expression_statement (assignment_expression right: [(arrow_function) (function_expression) (generator_function) (class)])) @wrap

(decorator) @lead
(decorator [(identifier) @decorator (member_expression) @decorator (call_expression function: (_) @decorator)])
(call_expression function: [(identifier) (member_expression) (super)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)
(throw_statement (new_expression constructor: [(identifier) (member_expression)] @raise))
(import_statement) @import
(export_statement source: (_)) @import
(variable_declarator value: (call_expression function: (identifier) arguments: (arguments . (string) .))) @import

(comment) @comment
(string_fragment) @string

(ERROR) @error
(MISSING) @error
