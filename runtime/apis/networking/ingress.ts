import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
} from '../../../generated/apis/networking/v1/ingress.ts'
import type {
  IngressClass,
  IngressClassParametersReference,
} from '../../../generated/apis/networking/v1/ingress-class.ts'
import { domainPathErrors } from '../../kernel/meta/domain-paths.ts'
import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  referenceProblems,
} from '../../kernel/meta/names.ts'
import { portNameProblems } from '../../kernel/meta/ports.ts'
import { Shown } from '../../kernel/validation/go-value.ts'
import { familyOf } from '../../kernel/values/ip-ranges.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { loadBalancerIngress } from '../types/conditions.ts'
import { format } from '../types/formats.ts'

/**
 * An ingress leads somewhere: by rules of valid hosts and paths, or by a default backend.
 * Errors in the order of presence, tls, rules, default backend, class (supplement I-21). The
 * annotation that named the class in earlier releases may not stand beside the field in a new
 * object; a stored one that has both can still be updated.
 */
export const ingress: Strategy<Ingress> = {
  warn({ metadata, spec }, old, { platform }) {
    const key = `${platform.domain}/ingress.class`
    const named = spec?.ingressClassName !== undefined
    if (old !== undefined || named || metadata?.annotations?.[key] === undefined) return []
    return [`annotation "${key}" is deprecated, please use 'spec.ingressClassName' instead`]
  },
  check(object, { platform }) {
    const spec = object.child('spec')
    const { rules, defaultBackend, ingressClassName: name } = spec.value
    if (defaultBackend === undefined && !rules?.length) {
      const none = new Shown(`[]networking.IngressRule${rules ? '{}' : '(nil)'}`)
      spec.invalid('', 'either `defaultBackend` or `rules` must be specified', none)
    }
    spec.visit('tls', 'rules', 'defaultBackend')
    if (name !== undefined) spec.invalidAll('ingressClassName', dnsSubdomainProblems(name))
    const key = `${platform.domain}/ingress.class`
    const older = object.value.metadata?.annotations?.[key]
    if (object.old !== undefined || older === undefined || name === undefined) return
    const why = 'can not be set when the class field is also set'
    object.invalid(`metadata.annotations.${key}`, why, older)
  },
  checkStatus: (object) =>
    object.child('status').child('loadBalancer').each('ingress', loadBalancerIngress),
}

const wildcardRule =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist " +
  "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. " +
  "'*.example.com', regex used for validation is " +
  "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

/**
 * A host by its DNS name, of which the first label may be a wildcard. The star is a whole first
 * label: `*.example.com`, not `a*.example.com`. An address is refused first, because one of IPv4
 * would pass as a subdomain.
 */
export const ingressHost = format((host) =>
  familyOf(host) === undefined
    ? hostProblems(host)
    : ['must be a DNS name, not an IP address', ...hostProblems(host)],
)

/** A host that a certificate is good for. It may be an address of IPv4, which passes as a subdomain. */
export const ingressCertificateHost = format(hostProblems)

function hostProblems(host: string): readonly string[] {
  if (!host.includes('*')) return dnsSubdomainProblems(host)
  const fine = host.startsWith('*.') && dnsSubdomainProblems(host.slice(2)).length === 0
  return fine ? [] : [wildcardRule]
}

/**
 * Parts that servers resolve in different ways, escaped slashes among them: a path with one could
 * be matched as it is written and served as another.
 */
const never = ['//', '/./', '/../', '%2f', '%2F']
const neverAtEnd = ['/..', '/.']

/**
 * A path from the root, without parts that could mean another one, and where it leads.
 * Only `ImplementationSpecific` may leave the path out, and only there such parts are allowed: what
 * they mean is up to the controller. A missing backend is reported like an empty one,
 * and of a path that does not say how it is compared nothing else is judged.
 */
export const ingressPath: Check<HTTPIngressPath> = (field) => {
  const { path = '', pathType, backend } = field.value
  if (pathType === undefined) return field.passOver('backend')
  const known = ['Exact', 'Prefix', 'ImplementationSpecific'].includes(pathType)
  if (known && !path.startsWith('/') && (pathType !== 'ImplementationSpecific' || path !== '')) {
    field.invalid('path', 'must be an absolute path', path)
  }
  if (pathType === 'Exact' || pathType === 'Prefix') {
    const inside = never.filter((part) => path.includes(part))
    const ending = neverAtEnd.filter((part) => path.endsWith(part))
    for (const part of inside) field.invalid('path', `must not contain '${part}'`)
    for (const part of ending) field.invalid('path', `cannot end with '${part}'`)
  }
  if (backend === undefined) ingressBackend(field.child('backend'))
  else field.visit('backend')
}

/**
 * Where traffic goes: to a port of a service, or to another object.
 * Exactly one of the two; both, or neither, is one error at the backend and nothing in it is looked
 * at.
 */
export const ingressBackend: Check<IngressBackend> = (backend) => {
  const { service, resource } = backend.value
  if (service !== undefined && resource !== undefined) {
    backend.invalid('', 'cannot set both resource and service backends', '')
    for (const key of ['service', 'resource'] as const) backend.passOver(key)
  } else if (resource !== undefined) checkResource(backend)
  else if (service === undefined) {
    backend.invalid('', 'resource or service backend is required', '')
  } else checkService(backend)
}

/** An object of another kind, which has both of its names: errors in the order group, kind, name. */
function checkResource(backend: Field<IngressBackend>): void {
  const resource = backend.child('resource')
  resource.afterwards(() => {
    if (typeof resource.value.apiGroup === 'string')
      resource.judge('apiGroup', dnsSubdomainProblems)
    for (const key of ['kind', 'name'] as const) {
      resource.passOver(key)
      if (!resource.value[key]) resource.required(key, `${key} is required`)
      resource.checkText(key, referenceProblems)
    }
  })
}

/**
 * The name first, then that exactly one of name and number of the port is there, which is told at the backend. Whether the
 * service exists is not asked: it may come later.
 */
function checkService(backend: Field<IngressBackend>): void {
  const service = backend.child('service')
  const { name = '', port } = service.value
  if (name === '') service.required('name')
  service.checkText('name', dns1035LabelProblems)
  if (port?.name && port.number) {
    backend.invalid('', 'cannot set both port name & port number', '')
    service.passOver('port.number')
  } else if (!port?.name && !port?.number) {
    backend.required('', 'port name or number is required')
  } else service.checkText('port.name', portNameProblems)
}

const mostController = 250

/**
 * A class names a controller, once and for all, and perhaps an object with its settings.
 * Errors in the order controller, parameters; that the controller stays the same the schema says
 * (supplement I-20).
 */
export const ingressClass: Strategy<IngressClass> = {
  check(object) {
    const spec = object.child('spec')
    const { controller = '' } = spec.value
    if (controller === '') spec.required('controller')
    if (controller.length > mostController) spec.tooLong('controller', mostController)
    if (controller !== '') spec.report(...domainPathErrors(spec.path('controller'), controller))
    spec.visit('parameters')
  },
}

/**
 * An object of the cluster or of a namespace, with the settings of a controller.
 * The reference itself comes first, then the scope, and only for a known scope the namespace:
 * required for `Namespace`, forbidden for `Cluster`. An absent scope is an unsupported one.
 */
export const ingressClassParameters: Check<IngressClassParametersReference> = (field) => {
  const { scope = '', namespace } = field.value
  const { apiGroup } = field.value
  if (apiGroup !== undefined) field.invalidAll('apiGroup', dnsSubdomainProblems(apiGroup), apiGroup)
  field.visit('kind', 'name')
  if (scope === 'Cluster') {
    if (namespace !== undefined)
      field.forbidden('namespace', "`parameters.scope` is set to 'Cluster'")
  } else if (scope !== 'Namespace') field.unsupported('scope', ['Cluster', 'Namespace'], scope)
  else if (namespace === undefined) {
    field.required('namespace', "`parameters.scope` is set to 'Namespace'")
  } else field.invalidAll('namespace', dnsLabelProblems(namespace), namespace)
}
