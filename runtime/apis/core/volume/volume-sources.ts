/** What the sources of volumes say that a schema cannot: which parts exclude each other, and the forms of their names. */
import { isIP } from 'node:net'
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  QuobyteVolumeSource,
} from '../../../../generated/apis/core/v1/volume.ts'
import { dnsLabelProblems, dnsSubdomainProblems } from '../../../kernel/meta/names.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import { driverName } from '../../types/driver-name.ts'

interface SecretReference {
  readonly name?: string
  readonly namespace?: string
}

interface WithSecret {
  readonly secretRef?: SecretReference
}

/** A secret is named, and where the type has a namespace, that is named too. */
function checkSecret(source: Field<WithSecret>, namespaced: boolean): void {
  source.when('secretRef', (secret) =>
    secret.afterwards(() => {
      if (!secret.value.name) secret.required('name')
      if (namespaced && !secret.value.namespace) secret.required('namespace')
    }),
  )
}

/** A path of the node; without one nothing is said of its type. */
export const hostPath: Check<{ readonly path?: string; readonly type?: string }> = (source) => {
  if (!source.value.path) source.passOver('type')
  source.visitAll()
}

/** The part of a disk that is mounted; 0 stands for all of it, which the message leaves out as in release 1.29. */
export const diskPartition: Check<{ readonly partition?: number }> = (source) => {
  const { partition = 0 } = source.value
  source.visitAll()
  if (partition < 0 || partition > 255) {
    source.invalid('partition', 'must be between 1 and 255, inclusive')
  }
}

/** A disk of a storage network: by targets with a unit, or by identifiers of its own. */
export const fibreChannel: Check<FCVolumeSource> = (source) => {
  const { targetWWNs, wwids, lun } = source.value
  const targets = targetWWNs?.length ?? 0
  const identifiers = wwids?.length ?? 0
  if (targets === 0 && identifiers === 0) {
    source.required('targetWWNs', 'must specify either targetWWNs or wwids, but not both')
  }
  if (targets === 0) return
  if (identifiers > 0) {
    source.invalid('targetWWNs', 'targetWWNs and wwids can not be specified simultaneously')
  }
  if (lun === undefined) source.required('lun', 'lun is required if targetWWNs is specified')
  else if (lun < 0 || lun > 255) source.invalid('lun', 'must be between 0 and 255, inclusive')
}

/** A disk that is reached over the network by the name of its target. */
export const iscsi: Check<ISCSIVolumeSource> = (source) =>
  checkTarget(source, 'must be valid format starting with iqn, eui, or naa')

/** The same in a volume of the cluster, whose secret has a name at least. */
export const persistentIscsi: Check<ISCSIVolumeSource> = (source) => {
  checkTarget(source, 'must be valid format')
  checkSecret(source, false)
}

/** `unknown` is said of a name in none of the forms. */
function checkTarget(source: Field<ISCSIVolumeSource>, unknown: string): void {
  const { iqn = '', lun = 0, chapAuthDiscovery, chapAuthSession } = source.value
  const { initiatorName, secretRef } = source.value
  source.visitAll()
  source.invalidAll('iqn', iqn === '' ? [] : targetProblems(iqn, unknown))
  if (lun < 0 || lun > 255) source.invalid('lun', 'must be between 0 and 255, inclusive')
  if ((chapAuthDiscovery || chapAuthSession) && !secretRef) source.required('secretRef')
  if (initiatorName === undefined) return
  const problems = targetProblems(initiatorName, unknown)
  source.invalidAll('initiatorname' as 'initiatorName', problems, initiatorName)
}

const forms = [
  ['iqn', /iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
] as const

function targetProblems(name: string, unknown: string): readonly string[] {
  const form = forms.find(([start]) => name.startsWith(start))
  if (form === undefined) return [unknown]
  return name.length <= 4096 && form[1].test(name) ? [] : ['must be valid format']
}

const pairs = 'must be a host:port pair or multiple pairs separated by commas'

/** A volume behind registries. */
export const quobyte: Check<QuobyteVolumeSource> = (source) => {
  const { registry = '', tenant = '', volume } = source.value
  if (registry === '') source.required('registry', pairs)
  else if (tenant.length > 64) {
    source.required('tenant', 'must be a UUID and may not exceed a length of 64 characters')
  } else if (!registry.split(',').every(isHostPort)) source.invalid('registry', pairs)
  if (!volume) source.required('volume')
}

/** A host, in brackets if it has colons, a colon, and a port of any text without a colon. */
function isHostPort(text: string): boolean {
  const at = text.lastIndexOf(':')
  if (at < 0) return false
  const host = text.slice(0, at)
  if (host.startsWith('[')) return host.endsWith(']') && isIP(host.slice(1, -1)) === 6
  return !/[:[\]]/.test(host)
}

/** A dataset by its name or by its identifier. */
export const flocker: Check<FlockerVolumeSource> = (source) => {
  const { datasetName = '', datasetUUID = '' } = source.value
  if (datasetName === '' && datasetUUID === '') {
    source.required('', 'one of datasetName and datasetUUID is required')
  }
  if (datasetName !== '' && datasetUUID !== '') {
    source.invalid(
      '',
      'datasetName and datasetUUID can not be specified simultaneously',
      'resource',
    )
  }
  if (datasetName.includes('/')) source.invalid('datasetName', "must not contain '/'")
}

const managedDisk =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

/** A disk whose address has the form of its kind. */
export const azureDisk: Check<AzureDiskVolumeSource> = (source) => {
  const { kind = 'Shared', diskURI = '' } = source.value
  source.visitAll()
  const [start, form] =
    kind === 'Managed' ? ['/subscriptions/', managedDisk] : ['https://', blobDisk]
  if (!diskURI.startsWith(start)) source.unsupported('diskURI', [form])
}

type StorageOS = WithSecret & { readonly volumeName?: string; readonly volumeNamespace?: string }

/** A volume by names, in the namespace of its system. */
export const storageOS: Check<StorageOS> = (source) => {
  checkNames(source)
  checkSecret(source, false)
}

/** The same with a secret of any namespace. */
export const persistentStorageOS: Check<StorageOS> = (source) => {
  checkNames(source)
  checkSecret(source, true)
}

function checkNames(source: Field<StorageOS>): void {
  if (!source.value.volumeName) source.required('volumeName')
  source.checkText('volumeName', dnsLabelProblems)
  source.checkText('volumeNamespace', dnsLabelProblems)
}

/** A volume of a system that is reached through a gateway. */
export const scaleIO: Check<{
  readonly gateway?: string
  readonly system?: string
  readonly volumeName?: string
}> = (source) => {
  for (const key of ['gateway', 'system', 'volumeName'] as const) {
    if (!source.value[key]) source.required(key)
  }
}

/** A volume with the secret that opens it. */
export const namedSecret: Check<WithSecret> = (source) => {
  source.visitAll()
  checkSecret(source, false)
}

/** The same with a secret of any namespace. */
export const foreignSecret: Check<WithSecret> = (source) => {
  source.visitAll()
  checkSecret(source, true)
}

/** A volume of a driver, with the secret that the node uses. */
export const csiVolume: Check<{
  readonly driver?: string
  readonly nodePublishSecretRef?: SecretReference
}> = (source) => {
  checkDriver(source)
  source.when('nodePublishSecretRef', (secret) => {
    if (!secret.value.name) secret.required('name')
    secret.checkText('name', dnsSubdomainProblems)
  })
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const

/** A volume of a driver by its handle; every secret is named completely. */
export const persistentCsi: Check<
  { readonly driver?: string; readonly volumeHandle?: string } & {
    readonly [Name in (typeof csiSecrets)[number]]?: SecretReference
  }
> = (source) => {
  checkDriver(source)
  if (!source.value.volumeHandle) source.required('volumeHandle')
  for (const key of csiSecrets) {
    source.when(key, (field) => {
      const secret = field as Field<SecretReference>
      if (!secret.value.name) secret.required('name')
      secret.checkText('name', dnsSubdomainProblems)
      if (!secret.value.namespace) secret.required('namespace')
      secret.checkText('namespace', dnsLabelProblems)
    })
  }
}

function checkDriver(source: Field<{ readonly driver?: string }>): void {
  if (!source.value.driver) source.required('driver')
  driverName(source.child('driver') as Field<string>)
}

/** A volume of a cluster whose endpoints may be in another namespace. */
export const glusterfsEndpoints: Check<{ readonly endpointsNamespace?: string }> = (source) => {
  source.visitAll()
  if (source.value.endpointsNamespace === '') {
    const why = 'if the endpointnamespace is set, it must be a valid namespace name'
    source.invalid('endpointsNamespace', why)
  } else source.checkText('endpointsNamespace', dnsLabelProblems)
}
