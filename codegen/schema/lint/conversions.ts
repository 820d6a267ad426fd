/** Lint: conversions between the versions of a kind. */
import type {
  ConversionSide,
  ConversionStep,
  FieldPath,
} from '../../../runtime/kernel/descriptors/conversion.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Built } from '../build/build.ts'
import { printPath } from '../build/conversions.ts'
import { kindBlock } from '../build/json-schema.ts'
import type { Report } from '../finding.ts'
import type { KindFacts } from '../ir.ts'
import type { Field, NamedType, Type } from '../named-type.ts'
import type { Position } from '../position.ts'
import { get } from '../yaml/node.ts'
import { checkLoss, handledBy, sameType } from './conversion-loss.ts'
import { refusal } from './defaults.ts'
import { type LintRule, typesById } from './lint-rule.ts'
import type { VersionPair } from './version-pair.ts'

/**
 * Versions of one kind convert without loss: every step leads from a field to a field of the same type, and every field
 * that no step names is in both versions. What is dropped is kept in an annotation.
 */
export const checkConversions: LintRule = (built, report) => {
  const { kinds } = built.api
  const types = typesById(built)
  for (const kind of kinds) {
    const { conversion, storedAs } = kind
    const at = (key: string): Position => positionOf(built, kind, key)
    if (storedAs !== undefined) checkStored(kinds, kind, storedAs, at('storedAs'), report)
    if (conversion === undefined) continue
    const older = versionOf(kinds, kind, conversion.from)
    if (older === undefined) {
      reportVersion(kinds, kind, conversion.from, at('conversion'), report)
      continue
    }
    let found = 0
    const counted: Report = (...finding) => {
      found++
      report(...finding)
    }
    const pair = { older, newer: kind, types, report: counted }
    const named = new Map<string, Position>()
    conversion.steps.forEach((step, index) => {
      const place = conversion.at[index] ?? kind.at
      checkStep(step, place, pair)
      checkOnce(step, place, named, pair)
    })
    if (found === 0) checkLoss(conversion.steps, at('conversion'), pair)
  }
}

/** A version that is not stored names the one that is, and one of the two declares how they convert. */
function checkStored(
  kinds: readonly KindFacts[],
  kind: KindFacts,
  storedAs: string,
  at: Position,
  report: Report,
): void {
  const stored = versionOf(kinds, kind, storedAs)
  if (stored === undefined) {
    reportVersion(kinds, kind, storedAs, at, report)
    return
  }
  if (stored.storedAs !== undefined) {
    report(at, 'not-stored', `${storedAs} is itself stored as ${stored.storedAs}`)
  }
  const declared =
    kind.conversion?.from === storedAs || stored.conversion?.from === apiVersionOf(kind)
  if (declared) return
  const message = `nothing says how ${kind.kind} converts to ${storedAs}; add "conversion" to the newer version`
  report(at, 'missing-conversion', message)
}

/** The same kind in another version. */
function versionOf(
  kinds: readonly KindFacts[],
  { kind }: KindFacts,
  apiVersion: string,
): KindFacts | undefined {
  return kinds.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion)
}

/** Suggests among the versions that the kind has. */
function reportVersion(
  kinds: readonly KindFacts[],
  { kind }: KindFacts,
  apiVersion: string,
  at: Position,
  report: Report,
): void {
  const known = kinds.filter((each) => each.kind === kind).map(apiVersionOf)
  const message = `there is no ${kind} in "${apiVersion}"${didYouMean(apiVersion, known)}`
  report(at, 'unknown-version', message)
}

/** The position of a key of a kind's block. */
function positionOf({ definitions }: Built, kind: KindFacts, key: string): Position {
  const definition = definitions.all.find(({ id }) => id === kind.type)
  return (definition && get(kindBlock(definition.node), key)?.at) ?? kind.at
}

/** Both ends of a step exist and fit together. */
function checkStep(step: ConversionStep, at: Position, pair: VersionPair): void {
  switch (step.is) {
    case 'move': {
      const older = fieldOf('older', [...step.at, ...step.older], at, pair)
      const newer = fieldOf('newer', [...step.at, ...step.newer], at, pair)
      if (older && newer) checkSame(older, newer, at, pair)
      return
    }
    case 'split':
      fieldOf('older', [...step.at, ...step.older], at, pair)
      for (const [type, path] of Object.entries(step.newer)) {
        const field = fieldOf('newer', [...step.at, ...path], at, pair)
        if (field) checkMember(field, type, at, pair)
      }
      return
    case 'default':
      checkDefault(step, at, pair)
      return
    case 'drop': {
      const other = step.side === 'older' ? 'newer' : 'older'
      const elsewhere = fieldAt(other, step.path, pair) !== undefined
      const hint = elsewhere ? `, the ${other} version has; add "of: ${other}"` : ''
      const field = fieldOf(step.side, step.path, at, pair, hint)
      if (field === undefined || step.annotation !== '') return
      const message = `"${printPath(step.path)}" would be lost; name the "annotation" that keeps it`
      pair.report(at, 'conversion-loss', message)
      return
    }
    case 'call':
      return
  }
}

/** A field has one place in the other version: of two steps that name it one would lose what the other wrote. */
function checkOnce(
  step: ConversionStep,
  at: Position,
  named: Map<string, Position>,
  pair: VersionPair,
): void {
  const handled = handledBy([step])
  for (const side of ['older', 'newer'] as const) {
    for (const path of handled[side]) {
      const first = named.get(`${side} ${path}`)
      named.set(`${side} ${path}`, first ?? at)
      if (first === undefined) continue
      const message = `the step in line ${first.line} says what becomes of "${path}" of ${apiVersionOf(pair[side])} already`
      pair.report(at, 'conversion-conflict', message)
    }
  }
}

function checkSame(older: Field, newer: Field, at: Position, { types, report }: VersionPair): void {
  if (sameType(older.type, newer.type, types)) return
  const message = `"${older.name}" and "${newer.name}" are of different types`
  report(at, 'conversion-type', message)
}

/** The types of fields that a member of a split may have. */
const members: Readonly<Record<string, readonly Type['is'][]>> = {
  boolean: ['boolean'],
  number: ['integer', 'number'],
  string: ['string', 'ref'],
}

/** The target of a split holds values of the JSON type that it is the target of. */
function checkMember(field: Field, type: string, at: Position, { report }: VersionPair): void {
  const wanted = members[type]
  if (wanted?.includes(field.type.is)) return
  const message =
    wanted === undefined
      ? `a split is by "boolean", "integer", "number" or "string", not by "${type}"`
      : `"${field.name}" is no ${type}`
  report(at, 'conversion-type', message)
}

type Default = Extract<ConversionStep, { is: 'default' }>

/**
 * A value that is absent in the older version must be distinguishable from one that equals the default, or mean the
 * same there.
 */
function checkDefault(step: Default, at: Position, pair: VersionPair): void {
  const { types, report } = pair
  const path = [...step.at, ...step.path]
  const [older, newer] = [fieldOf('older', path, at, pair), fieldOf('newer', path, at, pair)]
  if (older === undefined || newer === undefined) return
  const wrong = refusal(newer.type, step.value, types)
  if (wrong !== undefined) report(at, 'bad-default', `the default is not a value: ${wrong}`)
  const same = JSON.stringify(older.default) === JSON.stringify(step.value)
  const marked = step.zero !== undefined && step.at.length === 0
  if (same || marked) return
  const value = JSON.stringify(step.value)
  const message = `an absent "${printPath(path)}" would come back as ${value}, which is not its default in ${apiVersionOf(pair.older)}`
  report(at, 'conversion-loss', message)
}

/** The field that a path leads to in one version; reported if there is none, with `hint` at the end of the message. */
function fieldOf(
  side: ConversionSide,
  path: FieldPath,
  at: Position,
  pair: VersionPair,
  hint = '',
): Field | undefined {
  const kind = pair[side]
  const field = fieldAt(side, path, pair)
  if (field === undefined) {
    const message = `${kind.kind} of ${apiVersionOf(kind)} has no "${printPath(path)}"${hint}`
    pair.report(at, 'unknown-path', message)
  }
  return field
}

/** The field that a path leads to in one version, if there is one. */
function fieldAt(side: ConversionSide, path: FieldPath, pair: VersionPair): Field | undefined {
  let type: Type | undefined = { is: 'ref', to: pair[side].type }
  let field: Field | undefined
  for (const step of path) {
    const named: NamedType | undefined = type?.is === 'ref' ? pair.types.get(type.to) : undefined
    if (step === '*') type = type?.is === 'list' ? type.items : undefined
    else {
      const fields: readonly Field[] = named?.is === 'struct' ? named.fields : []
      field = fields.find(({ name }) => name === step)
      type = field?.type
    }
    if (type === undefined) return undefined
  }
  return field
}
