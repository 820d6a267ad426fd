/** Which part of a rule does not hold: of `a && b`, the one that is false. */
import { compileRules, conjunctsOf, readSchema, type SchemaRules, schemaOf } from '../../cel/cel.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { ruleKeywordPrefix } from '../../kernel/descriptors/validation-rules.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { FailingPart } from '../rules/finding.ts'
import type { PartFinding } from '../rules/part-finding.ts'

/** The schema of a custom kind, whose rules stand in it. */
export interface CustomRules {
  readonly raw: JsonObject
  readonly extension: string
}

/** A rule of which one part is evaluated by itself. */
interface Part extends FailingPart {
  readonly message: string | undefined
}

/** A schema whose rules are their parts. The message of a rule is the index of its part. */
interface Compiled {
  readonly rules: SchemaRules
  readonly parts: readonly Part[]
}

const known = new WeakMap<AnyKind, Compiled>()

/** The findings, with the part that fails for those that are of a rule. `value` has its defaults. */
export function withFailingParts(
  kind: AnyKind,
  custom: CustomRules | undefined,
  value: unknown,
  findings: readonly PartFinding[],
): readonly PartFinding[] {
  if (findings.length === 0 || (kind.validations === undefined && custom === undefined)) {
    return findings
  }
  const compiled = known.get(kind) ?? compileParts(kind, custom)
  known.set(kind, compiled)
  const failing = compiled.rules
    .violations(value)
    .filter(({ failed }) => !failed)
    .map(({ path, message }) => ({ path, part: compiled.parts[Number(message)] as Part }))
  return findings.map((one) => {
    const found = failing.find(({ path, part }) => path === one.path && isAbout(one, part))
    if (found === undefined) return one
    const { rule, start, end } = found.part
    return { ...one, failing: { rule, start, end } }
  })
}

function isAbout({ message }: PartFinding, { rule, message: said }: Part): boolean {
  return message.includes(said ?? rule)
}

function compileParts({ validations }: AnyKind, custom: CustomRules | undefined): Compiled {
  const parts: Part[] = []
  const extension = custom?.extension ?? ruleKeywordPrefix
  const split = (json: Json) => splitRules(json, extension, parts) as JsonObject
  const options = { extension, optionalOldSelf: true, costChecked: true, formsChecked: true }
  if (custom !== undefined) {
    const node = readSchema(split(custom.raw), { prefixes: [extension], structural: true })
    return { rules: compileRules(node, '', options), parts }
  }
  const schemas = Object.fromEntries(
    Object.entries(validations?.schemas ?? {}).map(([name, load]) => [name, () => split(load())]),
  )
  const node = schemaOf({ root: validations?.root ?? '', schemas })
  return { rules: compileRules(node, '', options), parts }
}

/** The schema with each rule in place of its parts. */
function splitRules(json: Json, extension: string, parts: Part[]): Json {
  if (Array.isArray(json)) return json.map((item) => splitRules(item, extension, parts))
  if (!isObject(json)) return json
  const keyword = `x-${extension}-validations`
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      key === keyword && Array.isArray(value)
        ? value.flatMap((rule) => (isObject(rule) ? partsOf(rule, parts) : []))
        : splitRules(value ?? null, extension, parts),
    ]),
  )
}

function partsOf(
  { message, messageExpression: _, ...rule }: JsonObject,
  parts: Part[],
): readonly JsonObject[] {
  const source = String(rule.rule)
  return conjunctsOf(source).map(({ text, start, end }) => {
    const said = typeof message === 'string' ? message : undefined
    parts.push({ rule: source, start, end, message: said })
    return { ...rule, rule: text, message: String(parts.length - 1) }
  })
}
