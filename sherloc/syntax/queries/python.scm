; Captures are explained in sherloc/syntax/nesting.py.

(function_definition name: (identifier) @name body: (block) @body) @def.function.function
(class_definition name: (identifier) @name body: (block) @body) @def.class.class
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))
(decorated_definition) @wrap

(decorator) @lead
(decorator [(identifier) @decorator (attribute) @decorator (call function: [(identifier) (attribute)] @decorator)])
(call function: [(identifier) (attribute)] @call)
(raise_statement . [(identifier) @raise (attribute) @raise (call function: [(identifier) (attribute)] @raise)])
[(import_statement) (import_from_statement) (future_import_statement)] @import

(comment) @comment
(string_content) @string
(expression_statement . (string) @loose .)

(ERROR) @error
(MISSING) @error
