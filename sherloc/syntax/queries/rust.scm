; Captures are explained in sherloc/syntax/nesting.py.

(function_item name: (_) @name body: (_) @body) @def.function.function
(function_signature_item name: (_) @name) @def.function.function
(struct_item name: (_) @name body: (_)? @body) @def.class.struct
(enum_item name: (_) @name body: (_) @body) @def.class.enum
(union_item name: (_) @name body: (_) @body) @def.class.union
(trait_item name: (_) @name body: (_) @body) @def.class.trait
(mod_item name: (_) @name body: (_) @body) @def.class.module
(macro_definition name: (_) @name . (macro_rule)? @body) @def.function.macro
(source_file (type_item name: (_) @name type: (_) @body) @def.class.type)
(mod_item body: (declaration_list (type_item name: (_) @name type: (_) @body) @def.class.type))
(impl_item type: (_) @name body: (_)) @def.scope.impl

(trait_item bounds: (trait_bounds (_) @base))

(attribute_item) @lead
(attribute_item (attribute [(identifier) (scoped_identifier)] @decorator))
(call_expression function: [(identifier) (scoped_identifier) (field_expression)] @call)
(call_expression function: (generic_function function: (_) @call))
(macro_invocation macro: (_) @call)
(token_tree (identifier) @call.token . (token_tree))
[(use_declaration) (extern_crate_declaration)] @import

[(line_comment) (block_comment)] @comment
[(string_content)] @string

(ERROR) @error
(MISSING) @error
