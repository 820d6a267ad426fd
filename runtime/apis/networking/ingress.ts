/** The rules of Ingress and IngressClass. */
import { isIP } from 'node:net'
import {
  dns1035LabelProblems,
  dnsSubdomainProblems,
  pathSegmentProblems,
} from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { domainPathProblems } from '../types/domain-paths.ts'
import {
  forbidden,
  invalid,
  invalidAll,
  required,
  tooLong,
  unsupported,
} from '../types/field-errors.ts'
import { portNameProblems } from '../types/ports.ts'
import type { List } from '../types/shapes.ts'

interface Backend {
  readonly service?: {
    readonly name?: string
    readonly port?: { readonly name?: string; readonly number?: number }
  }
  readonly resource?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string }
}

interface HttpPath {
  readonly path?: string
  readonly pathType?: string
  readonly backend?: Backend
}

interface IngressRule {
  readonly host?: string
  readonly http?: { readonly paths?: List<HttpPath> }
}

/** What the rules and cells of Ingress look at. */
export interface Ingress extends ApiObject {
  readonly spec?: {
    readonly ingressClassName?: string
    readonly defaultBackend?: Backend
    readonly tls?: List<{ readonly hosts?: List<string>; readonly secretName?: string }>
    readonly rules?: List<IngressRule>
  }
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: List<{ readonly ip?: string; readonly hostname?: string }>
    }
  }
}

/** An ingress leads somewhere: by rules of valid hosts and paths, or by a default backend. */
export const ingress: Strategy = {
  validate(object, old, { platform }) {
    const { spec = {} } = object as Ingress
    const { rules, tls, defaultBackend, ingressClassName } = spec
    const nowhere = defaultBackend === undefined && (rules ?? []).length === 0
    return [
      ...(nowhere
        ? [invalid('spec', rules, 'either `defaultBackend` or `rules` must be specified')]
        : []),
      ...(tls ?? []).flatMap(({ hosts }, index) =>
        (hosts ?? []).flatMap((host, at) =>
          invalidAll(`spec.tls[${index}].hosts[${at}]`, host, hostProblems(host)),
        ),
      ),
      ...(rules ?? []).flatMap((rule, index) => checkRule(`spec.rules[${index}]`, rule)),
      ...(defaultBackend === undefined ? [] : checkBackend('spec.defaultBackend', defaultBackend)),
      ...(ingressClassName === undefined
        ? []
        : invalidAll(
            'spec.ingressClassName',
            ingressClassName,
            dnsSubdomainProblems(ingressClassName),
          )),
      ...(old === undefined ? checkOneClass(object as Ingress, platform.domain) : []),
    ]
  },
}

function checkOneClass({ metadata, spec }: Ingress, domain: string): readonly FieldError[] {
  const key = `${domain}/ingress.class`
  const named = metadata.annotations?.[key]
  if (named === undefined || spec?.ingressClassName === undefined) return []
  const path = `metadata.annotations.${key}`
  return [invalid(path, named, 'can not be set when the class field is also set')]
}

function hostProblems(host: string): readonly string[] {
  if (isIP(host) !== 0) return ['must be a DNS name, not an IP address']
  if (!host.includes('*')) return dnsSubdomainProblems(host)
  if (host.startsWith('*.') && dnsSubdomainProblems(host.slice(2)).length === 0) return []
  return [
    'a wildcard DNS-1123 subdomain must start with "*.", followed by a valid DNS subdomain, which must consist ' +
      "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. " +
      "'*.example.com', regex used for validation is " +
      "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ]
}

function checkRule(path: string, { host, http }: IngressRule): readonly FieldError[] {
  const paths = http?.paths ?? []
  return [
    ...(host ? invalidAll(`${path}.host`, host, hostProblems(host)) : []),
    ...(http !== undefined && paths.length === 0 ? [required(`${path}.http.paths`)] : []),
    ...paths.flatMap((each, index) => checkPath(`${path}.http.paths[${index}]`, each)),
  ]
}

const never = ['//', '/./', '/../', '%2f', '%2F']
const neverAtEnd = ['/..', '/.']

function checkPath(
  at: string,
  { path = '', pathType, backend = {} }: HttpPath,
): readonly FieldError[] {
  const field = `${at}.path`
  const relative = !path.startsWith('/') && (pathType !== 'ImplementationSpecific' || path !== '')
  const exact = pathType === 'Exact' || pathType === 'Prefix'
  const inside = exact ? never.filter((part) => path.includes(part)) : []
  const ending = exact ? neverAtEnd.filter((part) => path.endsWith(part)) : []
  return [
    ...(relative ? [invalid(field, path, 'must be an absolute path')] : []),
    ...inside.map((part) => invalid(field, path, `must not contain '${part}'`)),
    ...ending.map((part) => invalid(field, path, `cannot end with '${part}'`)),
    ...checkBackend(`${at}.backend`, backend),
  ]
}

function checkBackend(path: string, { service, resource }: Backend): readonly FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [invalid(path, '', 'cannot set both resource and service backends')]
  }
  if (resource !== undefined) return checkResource(`${path}.resource`, resource)
  if (service === undefined) return [invalid(path, '', 'resource or service backend is required')]
  const { name = '', port = {} } = service
  const nameless = port.name === undefined && port.number === undefined
  const both = port.name !== undefined && port.number !== undefined
  return [
    ...(name === ''
      ? [required(`${path}.service.name`)]
      : invalidAll(`${path}.service.name`, name, dns1035LabelProblems(name))),
    ...(nameless ? [required(`${path}.service.port`, 'port name or number is required')] : []),
    ...(both
      ? [invalid(`${path}.service.port`, '', 'cannot set both port name & port number')]
      : []),
    ...invalidAll(
      `${path}.service.port.name`,
      port.name,
      port.name ? portNameProblems(port.name) : [],
    ),
  ]
}

function checkResource(
  path: string,
  { apiGroup, kind = '', name = '' }: NonNullable<Backend['resource']>,
): readonly FieldError[] {
  const segment = (field: string, text: string) =>
    text === ''
      ? [required(`${path}.${field}`)]
      : invalidAll(`${path}.${field}`, text, pathSegmentProblems(text))
  return [
    ...(apiGroup ? invalidAll(`${path}.apiGroup`, apiGroup, dnsSubdomainProblems(apiGroup)) : []),
    ...segment('kind', kind),
    ...segment('name', name),
  ]
}

interface Parameters {
  readonly apiGroup?: string
  readonly kind?: string
  readonly name?: string
  readonly scope?: string
  readonly namespace?: string
}

/** What the rules and cells of IngressClass look at. */
export interface IngressClass extends ApiObject {
  readonly spec?: { readonly controller?: string; readonly parameters?: Parameters }
}

const mostController = 250

/** A class names a controller, once and for all, and perhaps an object with its settings. */
export const ingressClass: Strategy = {
  validate(object, old) {
    const { controller = '', parameters } = (object as IngressClass).spec ?? {}
    const path = 'spec.controller'
    const before = (old as IngressClass | undefined)?.spec?.controller ?? controller
    return [
      ...(controller === '' ? [required(path)] : []),
      ...(controller.length > mostController ? [tooLong(path, mostController)] : []),
      ...(controller === '' ? [] : invalidAll(path, controller, domainPathProblems(controller))),
      ...(parameters === undefined ? [] : checkParameters('spec.parameters', parameters)),
      ...(before === controller ? [] : [invalid(path, controller, 'field is immutable')]),
    ]
  },
}

function checkParameters(path: string, given: Parameters): readonly FieldError[] {
  const { scope = '', namespace } = given
  return [...checkResource(path, given), ...checkScope(path, scope, namespace)]
}

function checkScope(
  path: string,
  scope: string,
  namespace: string | undefined,
): readonly FieldError[] {
  const place = `${path}.namespace`
  switch (scope) {
    case 'Cluster':
      if (namespace === undefined) return []
      return [forbidden(place, "`parameters.scope` is set to 'Cluster'")]
    case 'Namespace':
      if (namespace === undefined)
        return [required(place, "`parameters.scope` is set to 'Namespace'")]
      return invalidAll(place, namespace, dnsSubdomainProblems(namespace))
    default:
      return [unsupported(`${path}.scope`, scope, ['Cluster', 'Namespace'])]
  }
}
