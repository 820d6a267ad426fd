/** Fields that an update may not change, as rules of a definition. */
import { escapeName } from '../../../runtime/cel/cel.ts'
import type { StructType } from '../../schema/named-type.ts'
import type { Model } from '../model/model.ts'
import { fieldsAlong } from './fields-along.ts'

/** A rule of the root: the value at the path is what it was, or absent as it was. */
export function immutableRule(path: string, root: StructType, model: Model): object {
  const names = path.split('.')
  const presence = presenceOf(names, root, model)
  const value = (self: string) => [self, ...names.map(identifier)].join('.')
  const same = `${value('self')} == ${value('oldSelf')}`
  const [now, before] = ['self', 'oldSelf'].map((self) => there(self, presence))
  const rule = presence.length === 0 ? same : `${now} == ${before} && (!${now} || ${same})`
  return { rule, message: 'field is immutable', fieldPath: `.${path}` }
}

/** Names that are no identifiers of the expression language stand escaped in it. */
function identifier(name: string): string {
  return escapeName(name) ?? name
}

/** The paths to the fields on the way that may be absent. */
function presenceOf(
  names: readonly string[],
  root: StructType,
  model: Model,
): readonly (readonly string[])[] {
  return fieldsAlong(names, root, model).flatMap((field, index) =>
    field?.required || field?.default !== undefined ? [] : [names.slice(0, index + 1)],
  )
}

/** `has(self.spec) && has(self.spec.cidr)` */
function there(self: string, paths: readonly (readonly string[])[]): string {
  const tests = paths.map((path) => `has(${[self, ...path.map(identifier)].join('.')})`)
  return tests.length === 1 ? (tests[0] as string) : `(${tests.join(' && ')})`
}
