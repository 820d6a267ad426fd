/** Lint: validation rules, compiled by the engine that evaluates them later. */
import {
  compileRules,
  costLimits,
  type Issue,
  type RuleProblem,
  schemaOf,
} from '../../../runtime/cel/cel.ts'
import { ruleKeywordPrefix } from '../../../runtime/kernel/descriptors/validation-rules.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Built } from '../build/build.ts'
import { walkSchema } from '../build/json-schema.ts'
import { checkShape } from '../build/mapping-shape.ts'
import { validations } from '../build/validation-rules.ts'
import { isConfig } from '../files/layout.ts'
import type { Report } from '../finding.ts'
import { ruleShape } from '../keys/file-keys.ts'
import type { Expression, NamedType } from '../named-type.ts'
import type { Position } from '../position.ts'
import { type RuleSchemaSet, ruleSchemasOf } from '../rules/rule-schemas.ts'
import { get, items, type YamlNode } from '../yaml/node.ts'
import type { LintRule } from './lint-rule.ts'

/** The codes of findings, by what is wrong with a rule. */
const codes = {
  form: 'bad-rule',
  syntax: 'rule-syntax',
  type: 'rule-type',
  cost: 'rule-cost',
} as const

/** A rule compiles against the schema that it is declared at, and does not cost too much wherever that schema is used. */
export const checkRules: LintRule = ({ api, definitions, builtDefinitions: parts }, report) => {
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
  const once = reportCostOnce(report)
  for (const type of [...roots, ...own]) {
    if (seen.has(type.id)) continue
    if (fresh.has(type)) checkFrom(type, schemas, !resources.has(type.id), once)
    for (const id of schemas.reachable(type.id)) seen.add(id)
  }
}

/**
 * Types that are built in this run, and those that may be the body of a subresource: whether they are depends on other
 * files.
 */
function typesToCheck(parts: Built['builtDefinitions']): readonly NamedType[] {
  return [...parts].flatMap(([{ built: part }, { types, body }]) => (part && !body ? [] : types))
}

/** A rule of a struct that is used in several places costs too much once: the first finding stands for all. */
function reportCostOnce(report: Report): Report {
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

/** Compiles the rules of everything below a root, and adds their costs up. */
function checkFrom(type: NamedType, schemas: RuleSchemaSet, plain: boolean, report: Report): void {
  const rows = schemas.rows([type.id])
  const table = Object.fromEntries([...rows].map(([name, row]) => [name, () => row]))
  const node = schemaOf({ root: schemas.nameOf(type.id), schemas: table })
  const options = {
    extension: ruleKeywordPrefix,
    optionalOldSelf: true,
    notResource: plain,
    compileAll: true,
  }
  const { problems, cost } = compileRules(node, '', options)
  for (const problem of problems) {
    const expression = schemas.expressionOf(problem.rule)
    if (expression !== undefined) reportProblem(problem, expression, report)
  }
  if (cost <= costLimits.schema || problems.some(({ is }) => is === 'cost')) return
  const factor = (cost / costLimits.schema).toFixed(1)
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
  for (const issue of issues ?? []) report(positionOf(node, issue), code, issueText(issue))
}

/** Where an error is in the document: inside the text of the expression. */
function positionOf(node: YamlNode, { start }: Issue): Position {
  return node.is === 'scalar' && node.positionOf !== undefined ? node.positionOf(start) : node.at
}

const unknownName = /^(undefined field|undeclared reference to) '([^']*)'/

/** The message, with the name that may have been meant. */
function issueText({ message, names }: Issue): string {
  const name = unknownName.exec(message)?.[2]
  const text = message.replace(" (in container '')", '')
  return name === undefined || names === undefined ? text : text + didYouMean(name, names)
}
