import type { Platform } from '../../../kernel/descriptors/platform.ts'
import type { Metadata } from '../../../kernel/meta/object.ts'

/** The annotations by which claims, volumes, provisioners and the scheduler tell each other how far they are. */
export interface BindingNames {
  /** What provisioners in this process are called: `<domain>/`. */
  readonly internal: string
  /** On a claim: its part of the binding is done. */
  readonly bindCompleted: string
  /** On a claim or a volume: the controller bound it, no user did. */
  readonly boundByController: string
  /** On a volume: who made it. */
  readonly provisionedBy: string
  /** On a claim or a volume: the driver that does the work of a provisioner that no longer exists. */
  readonly migratedTo: string
  /** On a claim: who is to make a volume for it, now and before. */
  readonly storageProvisioner: string
  readonly betaStorageProvisioner: string
  /** On a claim: the node that the scheduler chose for its pod. */
  readonly selectedNode: string
  /** On a claim or a volume: its class, before there was a field. */
  readonly betaClass: string
  /** On a volume: its size before it grew, for claims that are bound afterwards. */
  readonly sizeBefore: string
  /** On a class: claims without a class get it. */
  readonly defaultClass: readonly string[]
}

/** The annotations of a platform. */
export function bindingNames({ domain }: Platform): BindingNames {
  return {
    internal: `${domain}/`,
    bindCompleted: `pv.${domain}/bind-completed`,
    boundByController: `pv.${domain}/bound-by-controller`,
    provisionedBy: `pv.${domain}/provisioned-by`,
    migratedTo: `pv.${domain}/migrated-to`,
    storageProvisioner: `volume.${domain}/storage-provisioner`,
    betaStorageProvisioner: `volume.beta.${domain}/storage-provisioner`,
    selectedNode: `volume.${domain}/selected-node`,
    betaClass: `volume.beta.${domain}/storage-class`,
    sizeBefore: `volume.alpha.${domain}/pre-resize-capacity`,
    defaultClass: [
      `storageclass.${domain}/is-default-class`,
      `storageclass.beta.${domain}/is-default-class`,
    ],
  }
}

/** Drivers that do what provisioners of the same cloud did when they were part of the control plane. */
const drivers: Readonly<Record<string, string>> = {
  'aws-ebs': 'ebs.csi.aws.com',
  'azure-disk': 'disk.csi.azure.com',
  'azure-file': 'file.csi.azure.com',
  cinder: 'cinder.csi.openstack.org',
  'gce-pd': 'pd.csi.storage.gke.io',
  'vsphere-volume': 'csi.vsphere.vmware.com',
}

/** The driver that does the work of a provisioner; undefined for one that does it itself. */
export function driverOf(provisioner: string, { internal }: BindingNames): string | undefined {
  const name = provisioner.startsWith(internal) ? provisioner.slice(internal.length) : ''
  return Object.hasOwn(drivers, name) ? drivers[name] : undefined
}

/** An annotation of an object. */
export function annotationOf(
  { metadata: { annotations = {} } }: { readonly metadata: Metadata },
  key: string,
): string | undefined {
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined
}

/**
 * Whether an object tells the driver of the provisioner that `keys` name on it, of which the first counts: undefined if it does, else what
 * it should tell.
 */
export function staleDriver(
  object: { readonly metadata: Metadata },
  keys: readonly string[],
  names: BindingNames,
): { readonly driver: string | undefined } | undefined {
  const provisioner = keys.map((key) => annotationOf(object, key)).find((one) => one !== undefined)
  if (provisioner === undefined) return undefined
  const driver = driverOf(provisioner, names)
  return driver === (annotationOf(object, names.migratedTo) || undefined) ? undefined : { driver }
}

/** Metadata whose object tells a driver, or none. */
export function tellingDriver<M extends Metadata>(
  metadata: M,
  driver: string | undefined,
  { migratedTo }: BindingNames,
): M {
  const { [migratedTo]: _before, ...others } = metadata.annotations ?? {}
  const annotations = driver === undefined ? others : { ...others, [migratedTo]: driver }
  return { ...metadata, annotations }
}
