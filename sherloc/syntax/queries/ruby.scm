; Captures are explained in sherloc/syntax/nesting.py.

(class name: (_) @name) @def.class.class
(module name: (_) @name) @def.class.module
(method name: (_) @name) @def.function.function
(singleton_method name: (_) @name) @def.method.singleton
(singleton_class) @def.scope.singleton
(class body: (_) @body)
(module body: (_) @body)
(method body: (_) @body)
(singleton_method body: (_) @body)
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker block: (_) @body)
  (#any-of? @_maker "Struct" "Class" "Module" "Data")) @def.class.class

(superclass (_) @base)
(body_statement
  (call method: (identifier) @_mixin arguments: (argument_list [(constant) (scope_resolution)] @base))
  (#any-of? @_mixin "include" "extend" "prepend"))

(call method: (_) @call.name)
(call
  method: (identifier) @_raise
  arguments: (argument_list . [
    (constant) @raise (scope_resolution) @raise (call receiver: [(constant) (scope_resolution)] @raise)])
  (#any-of? @_raise "raise" "fail"))
(call
  method: (identifier) @_load
  arguments: (argument_list . (string))
  (#any-of? @_load "require" "require_relative" "load")) @import

(comment) @comment
[(string_content) (heredoc_content)] @string

(ERROR) @error
(MISSING) @error
