/** Words that people know from definitions and JSON Schema, and what schema files say in their place. */

/** What to write in place of a keyword of a schema. */
const ofSchemas: Readonly<Record<string, string>> = {
  $defs: 'give the schema a name under "definitions"',
  anyOf: 'write "oneOf" for types that JSON tells apart, else a rule in "x-orch-validations"',
  const: 'write "enum" with one value',
  example: 'write it into the description',
  examples: 'write it into the description',
  maxProperties: 'write a rule: size(self) <= n',
  minProperties: 'write a rule: size(self) >= n',
  multipleOf: 'write a rule: self % n == 0',
  not: 'write a rule in "x-orch-validations"',
  nullable: 'leave it out: a field that is null is absent',
  title: 'write it into the description',
  uniqueItems: 'write "x-orch-list-type: set"',
}

/** What to write in place of a key of a kind, its columns and its subresources. */
const ofKinds: Readonly<Record<string, string>> = {
  additionalPrinterColumns: 'columns',
  JSONPath: 'cell',
  jsonPath: 'cell',
  listKind: 'nothing: it is the kind with "List"',
  names: 'plural, singular and shortNames beside the scope',
  printerColumns: 'columns',
  served: 'nothing: every version with a schema file is served',
  storage: 'storedAs in the versions that are not stored',
}

/** The public prefixes of extension keys. */
const publicPrefix = /^x-(?:kubernetes|k8s)-/

/**
 * `; write ...` for a keyword of a schema that is known elsewhere, else an empty text. `known` are the keywords that schema
 * files have.
 */
export function hintForKeyword(key: string, known: readonly string[]): string {
  if (publicPrefix.test(key)) {
    const name = key.replace(publicPrefix, '').replace('group-version-kind', 'kind')
    const own = known.find((each) => each.replace(/^x-[^-]+-/, '') === name)
    if (own?.startsWith('x-')) return `; here it is "${own}"`
  }
  const hint = Object.hasOwn(ofSchemas, key) ? ofSchemas[key] : undefined
  if (hint !== undefined) return `; ${hint}`
  const ofKind = hintForKey(key)
  return ofKind && `${ofKind}, in the block of the kind`
}

/** `; here it is ...` for a key of a kind that is known elsewhere, else an empty text. */
export function hintForKey(key: string): string {
  const hint = Object.hasOwn(ofKinds, key) ? ofKinds[key] : undefined
  return hint === undefined ? '' : `; here it is ${hint}`
}
