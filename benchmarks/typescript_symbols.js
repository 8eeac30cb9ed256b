// Symbols of files as the TypeScript compiler sees them; for benchmarks/skeletons.py.
// node typescript_symbols.js FOLDER_OF_TYPESCRIPT < files.jsonl > symbols.jsonl
// In: {"name": "a.ts", "text": "..."} a line. Out: {"symbols": [...], "errors": n} a line.
const ts = require(process.argv[2]);
const K = ts.SyntaxKind;
const LOCAL = new Set([K.FunctionDeclaration, K.ClassDeclaration, K.InterfaceDeclaration, K.TypeAliasDeclaration,
  K.EnumDeclaration, K.ModuleDeclaration]);
const MEMBERS = new Set([...LOCAL, K.ImportDeclaration, K.ExportDeclaration, K.ExportAssignment, K.MethodDeclaration,
  K.Constructor, K.GetAccessor, K.SetAccessor, K.PropertyDeclaration, K.MethodSignature, K.PropertySignature,
  K.CallSignature, K.ConstructSignature, K.IndexSignature, K.EnumMember, K.ClassStaticBlockDeclaration]);

function words(node, file) {
  return node ? node.getText(file).replace(/\s+/g, " ") : "";
}

function label(node, file) {
  const parts = [K[node.kind], words(node.name, file)];
  if (node.parameters) {
    // The body of a function that is a default is a body, too.
    parts.push(node.parameters.map((p) => words(p.name, file) + words(p.type, file) + (p.initializer ? "=" : "")).join(","));
  }
  if (node.type && node.kind !== K.TypeAliasDeclaration) parts.push(words(node.type, file));
  if (node.modifiers) parts.push(node.modifiers.map((m) => words(m, file)).join(" "));
  if (node.heritageClauses) parts.push(node.heritageClauses.map((h) => words(h, file)).join(" "));
  return parts.join("|");
}

function isFunction(node) {
  return node && (node.kind === K.ArrowFunction || node.kind === K.FunctionExpression);
}

// Outside of bodies every member counts; inside of one only what is a definition of its own, and then all that is in it.
function walk(node, file, hidden, found) {
  let inside = hidden;
  if (LOCAL.has(node.kind)) inside = false;
  if (node.kind === K.VariableStatement && hidden
      && node.declarationList.declarations.some((d) => isFunction(d.initializer))) inside = false;
  if (!inside) {
    if (MEMBERS.has(node.kind)) found.push(label(node, file));
    else if (node.kind === K.VariableDeclaration && (!hidden || isFunction(node.initializer))) {
      found.push("Variable|" + words(node.name, file));
    }
  }
  ts.forEachChild(node, (child) => {
    const body = ts.isFunctionLike(node) && child === node.body;
    walk(child, file, body || inside || node.kind === K.ClassStaticBlockDeclaration, found);
  });
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { name, text } = JSON.parse(line);
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, false);
  const found = [];
  walk(file, file, false, found);
  console.log(JSON.stringify({ symbols: found, errors: file.parseDiagnostics.length }));
});
