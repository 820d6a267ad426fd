import {
  compileRules,
  type Issue,
  limits,
  type RuleProblem,
  schemaOf,
} from '../../../runtime/cel/cel.ts'
import { hint } from '../../../runtime/kernel/nearest.ts'
import { ruleKeywords } from '../../../runtime/kernel/rules.ts'
import type { Built } from '../build.ts'
import { ruleShape, validations } from '../expressions.ts'
import type { Report } from '../finding.ts'
import type { Expression, NamedType, Position } from '../ir.ts'
import { isConfig } from '../layout.ts'
import { get, items, type Node } from '../node.ts'
import { type RuleSchemaSet, ruleSchemasOf } from '../rule-schemas.ts'
import { walkSchema } from '../schema.ts'
import { checkShape } from '../shape.ts'
import type { Rule } from './rule.ts'

const codes = {
  form: 'bad-rule',
  syntax: 'rule-syntax',
  type: 'rule-type',
  cost: 'rule-cost',
} as const

/**
 * A rule in the expression language compiles against the schema it stands in, and does not cost too much wherever that
 * schema is used: by the same engine that evaluates it later.
 */
export const checkRules: Rule = ({ api, definitions, parts }, report) => {
  for (const { schema } of definitions.fresh) {
    walkSchema(schema, ({ markers }) => {
      for (const rule of items(markers.get(validations)?.node)) {
        checkShape(rule, 'a rule', ruleShape, report)
      }
    })
  }
  const fresh = new Set(typesToCheck(parts))
  if (fresh.size === 0) return
  const schemas = ruleSchemasOf(api.types)
  const own = api.types.filter(
    ({ id, is, external }) => is === 'struct' && external === undefined && schemas.has(id),
  )
  if (own.length === 0) return
  const resources = new Set([...api.kinds, ...api.bodies].map(({ type }) => type))
  const roots = own.filter((type) => resources.has(type.id) || isConfigRoot(type))
  const seen = new Set<string>()
  const once = onceForEachCost(report)
  for (const type of [...roots, ...own]) {
    if (seen.has(type.id)) continue
    if (fresh.has(type)) checkFrom(type, schemas, !resources.has(type.id), once)
    for (const id of schemas.reachable(type.id)) seen.add(id)
  }
}

/** Fresh ones, and those that may be the body of a subresource: whether they are follows from other files. */
function typesToCheck(parts: Built['parts']): readonly NamedType[] {
  return [...parts].flatMap(([{ part }, { types, body }]) => (part && !body ? [] : types))
}

/** A rule of a struct that is used in several places costs too much once: what is said of it first will do. */
function onceForEachCost(report: Report): Report {
  const told = new Set<string>()
  return (at, code, message) => {
    const place = `${at.file}:${at.line}:${at.column}`
    if (code === codes.cost && told.has(place)) return
    if (code === codes.cost) told.add(place)
    report(at, code, message)
  }
}

function isConfigRoot(type: NamedType): boolean {
  return type.is === 'struct' && type.root && isConfig(type.at.file)
}

/** What is wrong with the rules of an object whose root is of the given type. */
function checkFrom(type: NamedType, schemas: RuleSchemaSet, plain: boolean, report: Report): void {
  const rows = schemas.rows([type.id])
  const table = Object.fromEntries([...rows].map(([name, row]) => [name, () => row]))
  const node = schemaOf({ root: schemas.nameOf(type.id), schemas: table })
  const options = { extension: ruleKeywords, optionalOldSelf: true, plain, thorough: true }
  const { problems, cost } = compileRules(node, '', options)
  for (const problem of problems) {
    const expression = schemas.expressionOf(problem.rule)
    if (expression !== undefined) reportProblem(problem, expression, report)
  }
  if (cost <= limits.schema || problems.some(({ is }) => is === 'cost')) return
  const factor = (cost / limits.schema).toFixed(1)
  const message = `all rules of "${type.name}" together may cost ${factor} times what is allowed`
  report(type.at, 'rule-cost', message)
}

function reportProblem(problem: RuleProblem, { at: rule }: Expression, report: Report): void {
  const { part, is, message, issues } = problem
  const node = get(rule, part) ?? rule
  const code = codes[is]
  const advice = '; bound lists by maxItems and texts by maxLength, or look at less'
  const said = is === 'cost' ? message.replace(/ \(.*$/, advice) : message
  if (issues === undefined) report(node.at, code, said)
  for (const issue of issues ?? []) report(placeOf(node, issue), code, textOf(issue))
}

/** Where a mistake stands in the document: inside the text of the expression. */
function placeOf(node: Node, { start }: Issue): Position {
  return node.is === 'scalar' && node.placeOf !== undefined ? node.placeOf(start) : node.at
}

const unknownName = /^(undefined field|undeclared reference to) '([^']*)'/

function textOf({ message, names }: Issue): string {
  const name = unknownName.exec(message)?.[2]
  const text = message.replace(" (in container '')", '')
  return name === undefined || names === undefined ? text : text + hint(name, names)
}
