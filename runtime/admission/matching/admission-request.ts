import type { AdmissionRequest } from '../../../generated/apis/admission/v1.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Attributes } from '../chain/attributes.ts'
import type { VersionedAttributes } from './versioned-attributes.ts'

/** An AdmissionRequest without its UID and its objects, as expressions see it and reviews carry it (supplement Y-09). */
export function admissionRequestOf(
  attributes: Attributes,
  { resource, kind }: VersionedAttributes,
): Omit<AdmissionRequest, 'uid' | 'object' | 'oldObject'> {
  const { subresource, name, namespace, operation, user, dryRun, options } = attributes
  return {
    kind: groupVersionKind(kind),
    resource: groupVersionResource(resource),
    ...(subresource && { subResource: subresource }),
    requestKind: groupVersionKind(attributes.kind),
    requestResource: groupVersionResource(attributes.resource),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: user,
    dryRun,
    options,
  }
}

function groupVersionKind({ group, version, kind }: AnyKind) {
  return { group, version, kind }
}

function groupVersionResource({ group, version, plural }: AnyKind) {
  return { group, version, resource: plural }
}
