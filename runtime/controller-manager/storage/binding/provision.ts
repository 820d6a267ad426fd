/** Volumes that are made for claims: by a driver elsewhere, which is told, or as folders of this machine. */
import { nodes } from '../../../../generated/apis/core/v1/node.ts'
import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { StorageClass } from '../../../../generated/apis/storage/v1/storage-class.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { KeyContext } from '../../../reconcile/reconcile.ts'
import { annotationOf, type BindingNames, driverOf } from './binding-names.ts'
import { folderOf, makeFolder, removeFolder } from './host-folder.ts'
import { type Claim, classOf } from './match-volume.ts'
import type { VolumeMetrics } from './volume-metrics.ts'

/** What volumes are made with. */
export interface ProvisionOptions {
  readonly names: BindingNames
  /** Whether folders of this machine are made. */
  readonly hostFolders: boolean
  /** Where classes are called by their full name. */
  readonly classGroup: string
  readonly counts: VolumeMetrics
}

/** Who makes the volumes of a class. */
export type Provisioner =
  | { readonly is: 'driver'; readonly name: string }
  | { readonly is: 'folders'; readonly name: string }
  | { readonly is: 'unknown'; readonly problem: string }

/** Who makes the volumes of a class, if it is known. */
export function provisionerOf(
  claim: Claim,
  storageClass: Stored<StorageClass> | undefined,
  { names, classGroup }: ProvisionOptions,
): Provisioner {
  if (storageClass === undefined) {
    const name = JSON.stringify(classOf(claim, names))
    return { is: 'unknown', problem: `storageclass.${classGroup} ${name} not found` }
  }
  const { provisioner } = storageClass
  const name = driverOf(provisioner, names) ?? provisioner
  if (!name.startsWith(names.internal)) return { is: 'driver', name }
  const plugin = name.slice(names.internal.length)
  if (plugin === 'host-path') return { is: 'folders', name }
  const problem = present.has(plugin)
    ? 'no provisionable volume plugin matched'
    : `no volume plugin matched name: ${name}`
  return { is: 'unknown', problem }
}

/** Plugins that are there and make no volumes. */
const present: ReadonlySet<string> = new Set(['nfs', 'local-volume', 'csi'])

/** Has a volume made for a claim, or makes it. What goes wrong is told, and tried again when the claim is next looked at. */
export async function provision(
  claim: Claim,
  storageClass: Stored<StorageClass> | undefined,
  options: ProvisionOptions,
  context: KeyContext,
): Promise<void> {
  const provisioner = provisionerOf(claim, storageClass, options)
  if (provisioner.is === 'unknown' || storageClass === undefined) {
    const { problem = '' } = provisioner as { problem?: string }
    return tell(claim, problem, context)
  }
  const { name } = provisioner
  if (provisioner.is === 'driver') {
    const told = await nameProvisioner(claim, name, options, context)
    const message = `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
    context.event(told, { type: 'Normal', reason: 'ExternalProvisioning', message })
    return
  }
  if (claim.spec?.dataSource !== undefined) {
    const problem = `plugin ${JSON.stringify(name)} is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`
    return tell(claim, problem, context)
  }
  const told = await nameProvisioner(claim, name, options, context)
  const run = () => makeVolume(told, storageClass, options, context)
  const failed = (made: boolean) => !made
  await options.counts.operation(name, 'provision', { run, failed }, context)
}

function tell(claim: Claim, message: string, { event }: KeyContext): void {
  event(claim, { type: 'Warning', reason: 'ProvisioningFailed', message })
}

/** Says on the claim who is to make its volume. */
async function nameProvisioner(
  claim: Claim,
  name: string,
  { names }: ProvisionOptions,
  { client, signal }: KeyContext,
): Promise<Claim> {
  if (annotationOf(claim, names.storageProvisioner) === name) return claim
  const annotations = {
    ...claim.metadata.annotations,
    ...{ [names.betaStorageProvisioner]: name, [names.storageProvisioner]: name },
  }
  const metadata = { ...claim.metadata, annotations }
  return client.resource(persistentVolumeClaims).update({ ...claim, metadata }, {}, signal)
}

/** Makes the folder and its volume, and says whether there is one then. */
async function makeVolume(
  claim: Claim,
  storageClass: Stored<StorageClass>,
  options: ProvisionOptions,
  context: KeyContext,
): Promise<boolean> {
  const { client, signal } = context
  const { provisioner, mountOptions = [], metadata } = storageClass
  const name = `pvc-${claim.metadata.uid}`
  if ((await client.resource(persistentVolumes).find(name, signal)) !== undefined) return true
  const shown = JSON.stringify(metadata.name)
  if (mountOptions.length > 0) {
    const problem = `Mount options are not supported by the provisioner but StorageClass ${shown} has mount options [${mountOptions.join(' ')}]`
    return refuse(claim, problem, context)
  }
  if (!options.hostFolders) {
    const problem = `Failed to create provisioner: provisioning in volume plugin ${JSON.stringify(provisioner)} is disabled`
    return refuse(claim, problem, context)
  }
  const node = annotationOf(claim, options.names.selectedNode)
  if (node !== undefined && (await client.resource(nodes).find(node, signal)) === undefined)
    return refuse(
      claim,
      `Failed to get target node: node ${JSON.stringify(node)} not found`,
      context,
    )
  const path = folderOf(claim.metadata.uid)
  try {
    if (claim.spec?.volumeMode === 'Block') {
      throw new Error(`${provisioner} does not support block volume provisioning`)
    }
    await makeFolder(path)
  } catch (error) {
    const why = errorText(error)
    await forgetNode(claim, options, context)
    const problem = `Failed to provision volume with StorageClass ${shown}: ${why}`
    return refuse(claim, problem, context)
  }
  return createVolume(claim, { name, path, storageClass }, options, context)
}

function refuse(claim: Claim, problem: string, context: KeyContext): false {
  tell(claim, problem, context)
  return false
}

/** Lets the scheduler choose another node. */
async function forgetNode(
  claim: Claim,
  { names }: ProvisionOptions,
  { client, signal }: KeyContext,
): Promise<void> {
  const { [names.selectedNode]: node, ...annotations } = claim.metadata.annotations ?? {}
  if (node === undefined) return
  const metadata = { ...claim.metadata, annotations }
  await client.resource(persistentVolumeClaims).update({ ...claim, metadata }, {}, signal)
}

interface NewVolume {
  readonly name: string
  readonly path: string
  readonly storageClass: Stored<StorageClass>
}

async function createVolume(
  claim: Claim,
  { name, path, storageClass }: NewVolume,
  { names }: ProvisionOptions,
  context: KeyContext,
): Promise<boolean> {
  const { client, event, signal } = context
  const { namespace, name: claimName, uid, resourceVersion } = claim.metadata
  const { accessModes = [], resources } = claim.spec ?? {}
  const { provisioner, reclaimPolicy = 'Delete' } = storageClass
  const dynamic = `${names.internal}createdby`
  try {
    await client.resource(persistentVolumes).create(
      {
        metadata: {
          name,
          annotations: {
            [dynamic]: 'hostpath-dynamic-provisioner',
            [names.boundByController]: 'yes',
            [names.provisionedBy]: provisioner,
          },
        },
        spec: {
          persistentVolumeReclaimPolicy: reclaimPolicy,
          accessModes: accessModes.length > 0 ? accessModes : ['ReadWriteOnce'],
          capacity: { storage: resources?.requests?.storage ?? '0' },
          hostPath: { path },
          storageClassName: classOf(claim, names),
          claimRef: {
            ...{ kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
            ...{ namespace, name: claimName, uid, resourceVersion },
          },
        },
      },
      {},
      signal,
    )
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) {
      if (!isStatus(error, 'Forbidden') && !isStatus(error, 'Invalid')) throw error
      await removeFolder(path)
      const problem = `Error creating provisioned PV object for claim ${namespace}/${claimName}: ${errorText(error)}. Deleting the volume.`
      return refuse(claim, problem, context)
    }
  }
  const message = `Successfully provisioned volume ${name} using ${provisioner}`
  event(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message })
  return true
}
