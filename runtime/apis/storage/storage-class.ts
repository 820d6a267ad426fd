import type { TopologySelectorTerm } from '../../../generated/apis/core/v1/topology-selector.ts'
import type { StorageClass } from '../../../generated/apis/storage/v1/storage-class.ts'
import type { VolumeAttributesClass } from '../../../generated/apis/storage/v1alpha1/volume-attributes-class.ts'
import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { warnedField } from '../strategy/warned-field.ts'
import { deprecatedNodeLabel } from '../types/deprecations.ts'

/** Entries of the parameters, and how long all keys and values may be together. */
const mostParameters = 512
const mostBytes = 256 * 1024

/** A class names its provisioner, with parameters that it can read (supplement I-20). */
export const storageClass: Strategy<StorageClass> = {
  warn(object, _, { platform }) {
    const root = warnedField<StorageClass>(object, '')
    return [...root.items('allowedTopologies')].flatMap((term) =>
      [...term.items('matchLabelExpressions')].flatMap((requirement) => {
        const message = deprecatedNodeLabel(requirement.value.key ?? '', platform.domain)
        return message === undefined ? [] : [`${requirement.path('key')}: ${message}`]
      }),
    )
  },
  check(object) {
    checkDriver(object, 'provisioner', object.value.provisioner)
    checkParameters(object)
    const { reclaimPolicy = '' } = object.value
    // `Recycle` is a policy of volumes that administrators make by hand, never of a class.
    if (!['Delete', 'Retain'].includes(reclaimPolicy)) {
      object.passOver('reclaimPolicy')
      if (reclaimPolicy !== '') object.unsupported('reclaimPolicy', ['Delete', 'Retain'])
    }
    const terms = new Map<string, number>()
    object.each('allowedTopologies', (term) => {
      const keys = new Set<string>()
      term.each('matchLabelExpressions', (requirement) => {
        const values = new Set<string>()
        if (!requirement.value.values?.length) requirement.required('values')
        requirement.each('values', (value) => value.distinct('', values))
        requirement.judge('key', qualifiedNameProblems)
        requirement.distinct('key', keys)
      })
      const all = object.value.allowedTopologies?.length ?? 0
      for (let times = repetitions(term.value, all, terms); times > 0; times--) {
        term.duplicate('matchLabelExpressions', '')
      }
    })
  },
}

/** The most errors that one term gets for repeating others. */
const mostRepetitions = 100

/** How many earlier terms a term repeats; one without requirements repeats as many as there are terms. */
function repetitions(
  term: Loose<TopologySelectorTerm>,
  all: number,
  terms: Map<string, number>,
): number {
  const identity = identityOf(term)
  const before = terms.get(identity) ?? (term.matchLabelExpressions?.length ? 0 : all)
  terms.set(identity, before + 1)
  return Math.min(before, mostRepetitions)
}

/** Equal terms have equal texts: keys and values are sorted. */
function identityOf({ matchLabelExpressions }: Loose<TopologySelectorTerm>): string {
  const parts = (matchLabelExpressions ?? []).map(({ key, values }) => [
    key,
    ...[...(values ?? [])].sort(),
  ])
  return JSON.stringify(parts.map((part) => JSON.stringify(part)).sort())
}

/** The name of a driver is judged, and told, in lower case. */
function checkDriver<T>(object: Field<T>, at: keyof T & string, name = ''): void {
  const lower = name.toLowerCase()
  if (name !== '') object.invalidAll(at, qualifiedNameProblems(lower), lower)
}

/** A class of attributes has some. */
export const volumeAttributesClass: Strategy<VolumeAttributesClass> = {
  check(object) {
    if (!object.value.driverName) object.required('driverName')
    checkDriver(object, 'driverName', object.value.driverName)
    if (Object.keys(object.value.parameters ?? {}).length > 0) checkParameters(object)
    else object.required('parameters', 'must contain at least one key/value pair')
  },
}

/**
 * Of too many entries nothing else is said. Errors in the order empty keys (one error for all), size. Values may be empty:
 * what a parameter means only the driver knows.
 */
function checkParameters(object: Field<Pick<StorageClass, 'parameters'>>) {
  const entries = Object.entries(object.value.parameters ?? {})
  if (entries.length > mostParameters) return object.tooLong('parameters', mostParameters)
  const size = entries.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (entries.some(([key]) => key === ''))
    object.invalid('parameters', 'field can not be empty.', '')
  if (size > mostBytes) object.tooLong('parameters', mostBytes)
}
