/** The rules of Node. */

import { labelValueProblems, qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { change } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { parseRange } from '../../types/addresses.ts'
import { duplicate, forbidden, invalid, invalidAll } from '../../types/field-errors.ts'
import type { Condition, List, Strings } from '../../types/shapes.ts'
import { amountProblems } from '../pod/resources.ts'

interface Taint {
  readonly key?: string
  readonly value?: string
  readonly effect?: string
}

interface NodeSpec {
  readonly podCIDR?: string
  readonly podCIDRs?: List<string>
  readonly providerID?: string
  readonly unschedulable?: boolean
  readonly taints?: List<Taint>
}

/** What the rules and cells of Node look at. */
export interface Node extends ApiObject {
  readonly spec?: NodeSpec
  readonly status?: {
    readonly capacity?: Strings
    readonly allocatable?: Strings
    readonly conditions?: List<Condition>
    readonly addresses?: List<{ readonly type?: string; readonly address?: string }>
    readonly nodeInfo?: Strings
  }
}

/** All capacity is allocatable unless said otherwise; ranges and provider are set once. */
export const node: Strategy = {
  defaults: (object) => withRanges(withAllocatable(object as Node)),
  validate(object, old) {
    const { spec, status } = object as Node
    return [
      ...checkTaints(spec?.taints ?? []),
      ...checkRanges(spec),
      ...checkAmounts('status.capacity', status?.capacity),
      ...checkAmounts('status.allocatable', status?.allocatable),
      ...(old === undefined ? [] : checkUpdate(spec ?? {}, (old as Node).spec ?? {})),
    ]
  },
}

function withAllocatable(object: Node): Node {
  const { status } = object
  if (status?.capacity === undefined || status.allocatable !== undefined) return object
  return { ...object, status: { ...status, allocatable: status.capacity } }
}

/** `podCIDR` is the first of `podCIDRs`; either may be given alone. */
function withRanges(object: Node): Node {
  const { podCIDR, podCIDRs } = object.spec ?? {}
  if (podCIDR === undefined && podCIDRs?.[0] === undefined) return object
  const ranges = podCIDRs?.[0] === undefined ? [podCIDR ?? ''] : podCIDRs
  const spec = change(object.spec ?? {}, { podCIDR: podCIDR ?? ranges[0], podCIDRs: ranges })
  return change(object, { spec })
}

function checkRanges(spec: NodeSpec | undefined): readonly FieldError[] {
  const path = 'spec.podCIDRs'
  const { podCIDR, podCIDRs } = spec ?? {}
  const ranges = (podCIDRs ?? []).map(parseRange)
  const families = new Set(ranges.map((range) => range?.family))
  const crowded = ranges.length > 2 || families.size < ranges.length
  return [
    ...(podCIDR === undefined || podCIDRs?.[0] === podCIDR
      ? []
      : [invalid(path, podCIDRs, 'first value must match `podCIDR`')]),
    ...ranges.flatMap((range, at) =>
      range === undefined ? [invalid(`${path}[${at}]`, podCIDRs?.[at], 'must be valid CIDR')] : [],
    ),
    ...(crowded && !families.has(undefined)
      ? [invalid(path, podCIDRs, 'may specify no more than one CIDR for each IP family')]
      : []),
  ]
}

function checkAmounts(path: string, amounts: Strings | undefined): readonly FieldError[] {
  return Object.entries(amounts ?? {}).flatMap(([name, text]) =>
    invalidAll(`${path}[${name}]`, text, amountProblems(name, text)),
  )
}

function checkTaints(taints: readonly Taint[]): readonly FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap((taint, index) => {
    const { key = '', value = '', effect } = taint
    const path = `metadata.taints[${index}]`
    const identity = `${key} ${effect}`
    const twice = seen.has(identity)
    seen.add(identity)
    return [
      ...invalidAll(`${path}.key`, key, key === '' ? [] : qualifiedNameProblems(key)),
      ...invalidAll(`${path}.value`, value, labelValueProblems(value)),
      ...(twice ? [duplicate(path, taint)] : []),
    ]
  })
}

const others =
  'node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)'

function checkUpdate(spec: NodeSpec, old: NodeSpec): readonly FieldError[] {
  const once = (field: 'podCIDR' | 'providerID') =>
    forbidden(field === 'podCIDR' ? 'spec.podCIDRs' : 'spec.providerID', onceText(field))
  const moved = (old.podCIDRs?.length ?? 0) > 0 && !deepEqual(spec.podCIDRs, old.podCIDRs)
  const renamed = old.providerID !== undefined && spec.providerID !== old.providerID
  return [
    ...(moved ? [once('podCIDR')] : []),
    ...(renamed ? [once('providerID')] : []),
    ...(deepEqual(fixedPart(spec), fixedPart(old)) ? [] : [forbidden('spec', others)]),
  ]
}

function onceText(field: string): string {
  return `node updates may not change ${field} except from "" to valid`
}

/** What is left of a spec without the fields that may change. */
function fixedPart(spec: NodeSpec): object {
  return {
    ...spec,
    podCIDR: undefined,
    podCIDRs: undefined,
    providerID: undefined,
    unschedulable: undefined,
    taints: undefined,
    configSource: undefined,
    externalID: undefined,
  }
}
