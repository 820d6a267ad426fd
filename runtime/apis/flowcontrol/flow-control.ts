/** The rules of FlowSchema and PriorityLevelConfiguration. */
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { forbidden, invalid, invalidAll, required } from '../types/field-errors.ts'
import type { Condition, List } from '../types/shapes.ts'

interface Subject {
  readonly kind?: string
  readonly user?: { readonly name?: string }
  readonly group?: { readonly name?: string }
  readonly serviceAccount?: { readonly name?: string; readonly namespace?: string }
}

interface ResourceRule {
  readonly verbs?: List<string>
  readonly apiGroups?: List<string>
  readonly resources?: List<string>
  readonly clusterScope?: boolean
  readonly namespaces?: List<string>
}

interface PathRule {
  readonly verbs?: List<string>
  readonly nonResourceURLs?: List<string>
}

interface Match {
  readonly subjects?: List<Subject>
  readonly resourceRules?: List<ResourceRule>
  readonly nonResourceRules?: List<PathRule>
}

/** What the rules and cells of FlowSchema look at. */
export interface FlowSchema extends ApiObject {
  readonly spec?: {
    readonly priorityLevelConfiguration?: { readonly name?: string }
    readonly matchingPrecedence?: number
    readonly distinguisherMethod?: { readonly type?: string }
    readonly rules?: List<Match>
  }
  readonly status?: { readonly conditions?: List<Condition> }
}

/** A schema names a level and matches requests by who makes them and what they are about. */
export const flowSchema: Strategy = {
  validate(object) {
    const { metadata, spec = {} } = object as FlowSchema
    const { matchingPrecedence, rules } = spec
    const level = spec.priorityLevelConfiguration?.name ?? ''
    const first = matchingPrecedence === 1 && metadata.name !== 'exempt'
    const path = 'spec.priorityLevelConfiguration.name'
    return [
      ...(first
        ? [
            invalid(
              'spec.matchingPrecedence',
              1,
              "only the schema named 'exempt' may have matchingPrecedence 1",
            ),
          ]
        : []),
      ...(level === ''
        ? [required(path, 'must reference a priority level')]
        : invalidAll(path, level, dnsSubdomainProblems(level))),
      ...(rules ?? []).flatMap((rule, at) => checkMatch(`spec.rules[${at}]`, rule)),
    ]
  },
}

function checkMatch(
  path: string,
  { subjects, resourceRules, nonResourceRules }: Match,
): readonly FieldError[] {
  const nothing = [...(resourceRules ?? []), ...(nonResourceRules ?? [])].length === 0
  const neither = 'at least one of resourceRules and nonResourceRules has to be non-empty'
  return [
    ...requireNonEmpty(
      `${path}.subjects`,
      subjects ?? [],
      'subjects must contain at least one value',
    ),
    ...(subjects ?? []).flatMap((each, at) => checkSubject(`${path}.subjects[${at}]`, each)),
    ...(nothing ? [required(path, neither)] : []),
    ...(resourceRules ?? []).flatMap((each, at) =>
      checkResource(`${path}.resourceRules[${at}]`, each),
    ),
    ...(nonResourceRules ?? []).flatMap((each, at) =>
      checkPaths(`${path}.nonResourceRules[${at}]`, each),
    ),
  ]
}

function requireNonEmpty(
  path: string,
  list: readonly unknown[],
  detail: string,
): readonly FieldError[] {
  return list.length === 0 ? [required(path, detail)] : []
}

const subjectFields = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const

function checkSubject(path: string, subject: Subject): readonly FieldError[] {
  return Object.entries(subjectFields).flatMap(([kind, field]) => {
    const place = `${path}.${field}`
    const given = subject[field]
    if (kind !== subject.kind) {
      return given === undefined
        ? []
        : [forbidden(place, `${field} is forbidden when subject kind is not '${kind}'`)]
    }
    if (given === undefined) {
      return [required(place, `${field} is required when subject kind is '${kind}'`)]
    }
    return given.name ? [] : [required(`${place}.name`)]
  })
}

function checkWords(
  path: string,
  words: List<string> | undefined,
  what: string,
): readonly FieldError[] {
  const given = words ?? []
  const mixed = given.includes('*') && given.length > 1
  return [
    ...requireNonEmpty(path, given, `${what} must contain at least one value`),
    ...(mixed ? [invalid(path, given, `if '*' is present, must not specify other ${what}`)] : []),
  ]
}

function checkResource(path: string, rule: ResourceRule): readonly FieldError[] {
  const nowhere = rule.clusterScope !== true && (rule.namespaces ?? []).length === 0
  const where = 'resource rules that are not cluster scoped must supply at least one namespace'
  return [
    ...checkWords(`${path}.verbs`, rule.verbs, 'verbs'),
    ...checkWords(`${path}.apiGroups`, rule.apiGroups, 'api groups'),
    ...checkWords(`${path}.resources`, rule.resources, 'resources'),
    ...(nowhere ? [required(`${path}.namespaces`, where)] : []),
  ]
}

function checkPaths(path: string, { verbs, nonResourceURLs }: PathRule): readonly FieldError[] {
  const place = `${path}.nonResourceURLs`
  return [
    ...checkWords(`${path}.verbs`, verbs, 'verbs'),
    ...checkWords(place, nonResourceURLs, 'non-resource URLs'),
    ...(nonResourceURLs ?? []).flatMap((url, at) =>
      invalidAll(`${place}[${at}]`, url, urlProblems(url)),
    ),
  ]
}

function urlProblems(url: string): readonly string[] {
  if (url === '*') return []
  if (!url.startsWith('/')) return ["must start with '/'"]
  if (url.includes('//')) return ['double slash is not allowed']
  const star = url.indexOf('*')
  const last = star < 0 || (star === url.length - 1 && url[star - 1] === '/')
  return last ? [] : ["wildcard can only do suffix matching, in the form of '/*' at the end"]
}

interface Limited {
  readonly nominalConcurrencyShares?: number
  readonly limitResponse?: {
    readonly type?: string
    readonly queuing?: {
      readonly queues?: number
      readonly handSize?: number
      readonly queueLengthLimit?: number
    }
  }
}

/** What the rules and cells of PriorityLevelConfiguration look at. */
export interface PriorityLevel extends ApiObject {
  readonly spec?: {
    readonly type?: string
    readonly limited?: Limited
    readonly exempt?: { readonly nominalConcurrencyShares?: number }
  }
}

/**
 * In the version that has no word for shares that are meant to be zero, zero stands for the default, unless an annotation
 * says that it is meant.
 */
export const zeroShares: Strategy = {
  defaults(object, { platform }) {
    const { spec, metadata } = object as PriorityLevel
    const meant = `flowcontrol.${platform.api}/v1beta3-preserve-zero-concurrency-shares`
    const zero = spec?.limited?.nominalConcurrencyShares === 0
    if (!zero || Object.hasOwn(metadata.annotations ?? {}, meant)) return object
    const limited = { ...spec?.limited, nominalConcurrencyShares: 30 }
    return change(object as PriorityLevel, { spec: { ...spec, limited } })
  },
}

/** A level has the settings of its type and no others. */
export const priorityLevel: Strategy = {
  validate(object) {
    const { metadata, spec = {} } = object as PriorityLevel
    const exempt = spec.type === 'Exempt'
    const only = "type must be 'Exempt' if and only if `name` is 'exempt'"
    return [
      ...(exempt === (metadata.name === 'exempt') ? [] : [invalid('spec.type', spec.type, only)]),
      ...(exempt ? checkExempt(spec) : checkLimited(spec)),
    ]
  },
}

type LevelSpec = NonNullable<PriorityLevel['spec']>

function checkExempt({ limited }: LevelSpec): readonly FieldError[] {
  if (limited === undefined) return []
  return [forbidden('spec.limited', 'must be nil if the type is not Limited')]
}

function checkLimited({ type, limited, exempt }: LevelSpec): readonly FieldError[] {
  if (type !== 'Limited') return []
  return [
    ...(exempt === undefined
      ? []
      : [forbidden('spec.exempt', 'must be nil if the type is Limited')]),
    ...(limited === undefined
      ? [required('spec.limited', 'must not be empty when type is Limited')]
      : checkResponse('spec.limited.limitResponse', limited.limitResponse)),
  ]
}

function checkResponse(path: string, response: Limited['limitResponse']): readonly FieldError[] {
  const { type, queuing } = response ?? {}
  const place = `${path}.queuing`
  if (type === 'Queue' && queuing === undefined) {
    return [required(place, 'must not be empty if limitResponse.type is Queue')]
  }
  if (type === 'Reject' && queuing !== undefined) {
    return [forbidden(place, 'must be nil if limitResponse.type is not Queue')]
  }
  const { queues = 0, handSize = 0 } = queuing ?? {}
  if (handSize <= queues) return []
  return [invalid(`${place}.handSize`, handSize, `should not be greater than queues (${queues})`)]
}
