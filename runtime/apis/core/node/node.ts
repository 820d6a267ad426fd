import type {
  Node,
  NodeConfigSource,
  NodeSpec,
  NodeStatus,
  Taint,
} from '../../../../generated/apis/core/v1/node.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { duplicate } from '../../../kernel/validation/field-errors.ts'
import { change } from '../../../kernel/values/change.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { parseRange } from '../../../kernel/values/ip-ranges.ts'
import { type Check, errorsOf, type Field } from '../../../kernel/walker/field.ts'
import type { Loose, LooseObject } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { amountProblems } from '../pod/resources.ts'
import { checkAvoidedPods } from './avoided-pods.ts'

/**
 * All capacity is allocatable unless the node says otherwise; ranges and provider are set once.
 * Errors in the order taints, ranges, capacity, allocatable, changes (supplement I-12).
 */
export const node: Strategy<Node> = {
  defaults: (object) => withRanges(withAllocatable(object)),
  prepareCreate: (object) => withoutSource(withoutConfig(object)),
  prepareUpdate: (object, old) =>
    old.spec?.configSource === undefined ? withoutSource(object) : object,
  prepareSubresource: (object, old) =>
    old.status?.config === undefined ? withoutConfig(object) : object,
  warn: ({ spec }) => [
    ...(spec?.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(spec?.externalID
      ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
      : []),
  ],
  check(object) {
    const spec = object.child('spec')
    checkAvoidedPods(object)
    spec.asNew(() => checkTaints(spec))
    spec.asNew(() => checkRanges(spec))
    checkResources(object.child('status'))
    if (object.old !== undefined) checkUpdate(spec, object.old.spec ?? {})
  },
  checkStatus(object) {
    const status = object.child('status')
    checkResources(status)
    const seen = new Set<string>()
    status.each('addresses', (address) => {
      const { type = '', address: text = '' } = address.value
      const identity = `${type} ${text}`
      if (seen.has(identity)) address.duplicate('')
      seen.add(identity)
    })
    for (const key of ['assigned', 'active', 'lastKnownGood'] as const) {
      status.child('config').when(key, checkSource)
    }
  },
}

/** Sources of configuration are a thing of earlier releases: an object that has one keeps it, none gets one. */
function withoutSource(object: LooseObject<Node>): LooseObject<Node> {
  const { spec } = object
  return spec === undefined
    ? object
    : change(object, { spec: change(spec, { configSource: undefined }) })
}

function withoutConfig(object: LooseObject<Node>): LooseObject<Node> {
  const { status } = object
  return status === undefined
    ? object
    : change(object, { status: change(status, { config: undefined }) })
}

function checkResources(status: Field<NodeStatus>): void {
  for (const key of ['capacity', 'allocatable'] as const) {
    status.each(key, (amount, _, name) =>
      status.invalidAll(
        `${key}.${name}`,
        amountProblems(name, amount.value, status.domain),
        amount.value,
      ),
    )
  }
}

/** Where a node has its configuration from, as its agent saw it. */
const checkSource: Check<NodeConfigSource> = (source) => {
  const { configMap } = source.value
  if (configMap === undefined) {
    return source.invalid('', 'exactly one reference subfield must be non-nil')
  }
  const map = source.child('configMap')
  if (!configMap.uid) map.required('uid', 'uid must be set in status')
  if (!configMap.resourceVersion) {
    map.required('resourceVersion', 'resourceVersion must be set in status')
  }
  if (!configMap.namespace) map.required('namespace', 'namespace must be set')
  map.checkText('namespace', dnsLabelProblems)
  if (!configMap.name) map.required('name', 'name must be set')
  map.checkText('name', dnsSubdomainProblems)
}

/**
 * A node that states an empty `allocatable` has nothing to give; only an absent one is filled in.
 */
function withAllocatable(object: LooseObject<Node>): LooseObject<Node> {
  const { status } = object
  if (status?.capacity === undefined || status.allocatable !== undefined) return object
  return { ...object, status: { ...status, allocatable: status.capacity } }
}

/** `podCIDR` is the first of `podCIDRs`; either may be given alone, and of two that differ the single one wins. */
function withRanges(object: LooseObject<Node>): LooseObject<Node> {
  const { podCIDR, podCIDRs } = object.spec ?? {}
  const first = podCIDR || podCIDRs?.[0]
  if (first === undefined) return object
  const ranges = podCIDRs?.[0] === first ? podCIDRs : [first]
  const spec = change(object.spec ?? {}, { podCIDR: first, podCIDRs: ranges })
  return change(object, { spec })
}

/**
 * That a range cannot be read stands at the range and, where there are others, at the list; that there are too many of them,
 * or two of a family, at the list; that one is there twice, at the range again.
 */
function checkRanges(spec: Field<NodeSpec>): void {
  const { podCIDRs } = spec.value
  const ranges = (podCIDRs ?? []).map(parseRange)
  spec.each('podCIDRs', (text, at) => {
    if (ranges[at] === undefined) text.invalid('', 'must be valid CIDR', podCIDRs)
  })
  const families = new Set(ranges.map((range) => range?.family))
  const unread = ranges.indexOf(undefined)
  if (unread >= 0 && ranges.length > 1) {
    const why = `invalid CIDR[${unread}]: <nil> (invalid CIDR address: ${podCIDRs?.[unread]})`
    const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${why}`
    spec.report({ path: spec.path('podCIDRs'), reason: 'InternalError', message })
  }
  if (ranges.length > 2 || families.size < ranges.length || (unread >= 0 && ranges.length > 1)) {
    spec.invalid('podCIDRs', 'may specify no more than one CIDR for each IP family')
  }
  const list = spec.path('podCIDRs')
  const seen = new Set<string>()
  for (const [at, text] of (podCIDRs ?? []).entries()) {
    if (seen.has(text)) spec.report({ ...duplicate(`${list}[${at}]`, text), after: list })
    seen.add(text)
  }
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Errors stand where clients expect them: at metadata, in which taints once were. */
function checkTaints(spec: Field<NodeSpec>): void {
  const seen = new Set<string>()
  const checkTaint = (taint: Field<Taint>) => {
    const { key = '', value = '', effect = '' } = taint.value
    taint.judge('key', qualifiedNameProblems)
    taint.invalidAll('value', labelValueProblems(value), value)
    if (effect === '') taint.required('effect')
    else if (!effects.includes(effect)) taint.unsupported('effect', effects)
    const identity = `${key} ${effect}`
    if (seen.has(identity)) taint.report(repeated(taint.path(), taint.value))
    seen.add(identity)
  }
  for (const [index, taint] of (spec.value.taints ?? []).entries()) {
    spec.report(...errorsOf(checkTaint, taint, `metadata.taints[${index}]`))
  }
}

function repeated(path: string, taint: unknown): FieldError {
  const { message, ...error } = duplicate(path, taint)
  return { ...error, message: `${message}: taints must be unique by key and effect pair` }
}

const changeable =
  'node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)'

/**
 * Ranges and provider may be set once, by a controller that comes to know them. Taints are judged again behind them, and
 * whatever else differs is one error at the spec.
 */
function checkUpdate(spec: Field<NodeSpec>, old: Loose<NodeSpec>): void {
  const { podCIDRs, providerID } = spec.value
  const once = (key: string) => `node updates may not change ${key} except from "" to valid`
  if (old.podCIDRs?.length && !deepEqual(podCIDRs, old.podCIDRs)) {
    spec.forbidden('podCIDRs', once('podCIDR'))
  }
  if (old.providerID !== undefined && providerID !== old.providerID) {
    spec.forbidden('providerID', once('providerID'))
  }
  spec.again(() => checkTaints(spec))
  spec.afterwards(() => {
    if ((spec.value.externalID ?? '') !== (old.externalID ?? '')) {
      spec.forbidden('externalID', 'may not be updated')
    }
    if (!deepEqual(fixedPart(spec.value), fixedPart(old))) spec.forbidden('', changeable)
  })
}

/** What is left of a spec without the fields that may change. */
function fixedPart(spec: Loose<NodeSpec>): object {
  const { podCIDR, podCIDRs, providerID, unschedulable, taints, configSource, ...rest } = spec
  return { ...rest, externalID: undefined }
}
