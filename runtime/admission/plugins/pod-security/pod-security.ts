import {
  type Attributes,
  isMainResource,
  isResource,
  isWrite,
  type ResourceOperation,
} from '../../chain/attributes.ts'
import { ParsedObjects } from '../../chain/parsed-objects.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import { servedKind, withStoredObject } from '../../chain/plugin-context.ts'
import { isPodRequest } from '../pods/pod-spec.ts'
import { namespacePolicyOf } from './namespace-policy.ts'
import { validateNamespace } from './namespace-update.ts'
import { type PodSecurityOptions, podSecurityOptions } from './options.ts'
import { enforcePolicy } from './pod-policy.ts'
import { podTemplateGetter } from './pod-templates.ts'

/**
 * PodSecurity holds pods to the security level of their namespace: it rejects what violates the enforced level, annotates the
 * audit event and warns; objects with a pod template are only audited and warned about (supplement Q-20).
 */
export const podSecurity: PluginFactory = (context) => {
  const prefix = `pod-security.${context.scheme.platform.domain}/`
  const options = podSecurityOptions(prefix, context.settings.PodSecurity)
  const policies = new ParsedObjects((namespace) =>
    namespacePolicyOf(prefix, namespace.object().metadata.labels, options.defaults),
  )
  return {
    handles: (request) =>
      isWrite(request) &&
      (isNamespaceRequest(request) ||
        isPodRequest(request) ||
        isEphemeralContainersRequest(request) ||
        podTemplateGetter(request) !== undefined),
    validate(attributes, recorder) {
      if (isNamespaceRequest(attributes)) {
        return validateNamespace(context, options, attributes, recorder)
      }
      const exemption = exemptionOf(options, attributes)
      if (exemption !== undefined) recorder.annotate(`${prefix}exempt`, exemption)
      const namespaces = servedKind(context, 'api/v1/namespaces')
      if (exemption !== undefined || namespaces === undefined) return
      const { namespace = '' } = attributes
      return withStoredObject(context, namespaces, { name: namespace }, (found) => {
        if (found !== undefined) {
          enforcePolicy(options, policies.get(found), attributes, recorder)
        }
      })
    },
  }
}

/** Why a request is exempt as a whole; exempt runtime classes are looked at later, because they depend on the pod. */
function exemptionOf(
  { namespaces, usernames }: PodSecurityOptions,
  { namespace = '', user }: Attributes,
): 'namespace' | 'user' | undefined {
  if (namespaces.has(namespace)) return 'namespace'
  return usernames.has(user.username) ? 'user' : undefined
}

function isNamespaceRequest(request: ResourceOperation): boolean {
  return isResource(request, '', 'namespaces') && isMainResource(request)
}

/** True for the subresource through which `debug` adds containers to running pods. */
function isEphemeralContainersRequest(request: ResourceOperation): boolean {
  return isResource(request, '', 'pods') && request.subresource === 'ephemeralcontainers'
}
