/** Which fields name other objects, by the generated types that have them: every kind that uses such a type is known by it. */

/** What a field names. Paths are those of fields beside it. */
export interface ReferenceRow {
  /** The field that has the name. */
  readonly field: string
  /** The kind; `.kind` for that which stands in the field beside it. */
  readonly kind: string
  /** The field that has the namespace. Default: that of the object. */
  readonly namespace?: string
  /** The fields that have keys of the object: `key`, `items.key`. */
  readonly keys?: string
  /** The only kind that counts, of a `.kind` that may also name what is no object. */
  readonly only?: string
  /** Names that are always there. */
  readonly builtIn?: readonly string[]
}

const config = { field: 'name', kind: 'ConfigMap' }
const secret = { field: 'name', kind: 'Secret' }
const target = { field: 'name', kind: '.kind' }
const roleRef = {
  ...target,
  builtIn: ['cluster-admin', 'admin', 'edit', 'view'],
}

/** Rows by type. */
export const references: Readonly<Record<string, readonly ReferenceRow[]>> = {
  'core/v1.ConfigMapKeySelector': [{ ...config, keys: 'key' }],
  'core/v1.ConfigMapEnvSource': [config],
  'core/v1.ConfigMapVolumeSource': [{ ...config, keys: 'items.key' }],
  'core/v1.ConfigMapProjection': [{ ...config, keys: 'items.key' }],
  'core/v1.SecretKeySelector': [{ ...secret, keys: 'key' }],
  'core/v1.SecretEnvSource': [secret],
  'core/v1.SecretVolumeSource': [{ field: 'secretName', kind: 'Secret', keys: 'items.key' }],
  'core/v1.SecretProjection': [{ ...secret, keys: 'items.key' }],
  'core/v1.PersistentVolumeClaimVolumeSource': [
    { field: 'claimName', kind: 'PersistentVolumeClaim' },
  ],
  'core/v1.PodSpec': [
    { field: 'serviceAccountName', kind: 'ServiceAccount', builtIn: ['default'] },
    {
      field: 'priorityClassName',
      kind: 'PriorityClass',
      builtIn: ['system-cluster-critical', 'system-node-critical'],
    },
    { field: 'runtimeClassName', kind: 'RuntimeClass' },
  ],
  'core/v1.PersistentVolumeClaimSpec': [{ field: 'storageClassName', kind: 'StorageClass' }],
  'apps/v1.StatefulSetSpec': [{ field: 'serviceName', kind: 'Service' }],
  'networking/v1.IngressServiceBackend': [{ field: 'name', kind: 'Service' }],
  'networking/v1.IngressSpec': [{ field: 'ingressClassName', kind: 'IngressClass' }],
  'autoscaling/v1.CrossVersionObjectReference': [target],
  'autoscaling/v2.CrossVersionObjectReference': [target],
  'rbac/v1.RoleRef': [roleRef],
  'rbac/v1.Subject': [
    { ...target, only: 'ServiceAccount', namespace: 'namespace', builtIn: ['default'] },
  ],
  'meta/v1.OwnerReference': [target],
  'admissionregistration/v1.ServiceReference': [
    { field: 'name', kind: 'Service', namespace: 'namespace' },
  ],
  'admissionregistration/v1beta1.ValidatingAdmissionPolicyBindingSpec': [
    { field: 'policyName', kind: 'ValidatingAdmissionPolicy' },
  ],
}
