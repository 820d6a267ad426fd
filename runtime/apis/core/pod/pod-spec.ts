import type { Container } from '../../../../generated/apis/core/v1/container.ts'
import type { PodReadinessGate, PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { PodSchedulingGate } from '../../../../generated/apis/core/v1/scheduling.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import { checkContainer } from './container.ts'
import type { VolumesByName } from './container-volumes.ts'
import { checkDns } from './dns.ts'
import { checkEphemerals } from './ephemeral-containers.ts'
import { checkPodSecurity, checkSystem } from './security.ts'
import { checkHostProcess } from './windows.ts'

/**
 * What a schema cannot say of a pod spec, in a pod or in a template: names are unique, references lead somewhere, parts
 * do not contradict each other.
 * The order of the calls is the order of the errors.
 */
export const podSpec: Check<PodSpec> = (spec) => {
  const { containers } = spec.value
  const volumes = checkVolumes(spec)
  if (containers === null || containers?.length === 0) spec.required('containers')
  checkContainers(spec, volumes)
  checkEphemerals(spec, volumes)
  checkHostPorts(spec)
  if (spec.value.hostNetwork === true) checkHostNetwork(spec)
  checkPreemption(spec)
  spec.visit('nodeSelector', 'hostname', 'subdomain', 'nodeName', 'serviceAccountName')
  spec.visit('priorityClassName', 'readinessGates', 'overhead')
  if (spec.value.runtimeClassName !== undefined) {
    spec.judge('runtimeClassName', dnsSubdomainProblems)
  }
  checkGates(spec)
  checkDns(spec)
  checkPodSecurity(spec)
  checkSystem(spec)
  if (spec.value.os?.name) spec.tellAt('os.name', spec, 'os')
  checkHostProcess(spec)
  spec.visit('tolerations', 'topologySpreadConstraints', 'affinity')
  checkSpreads(spec)
}

/** The name of a scheduling gate; an error stands at the gate. */
export const podSchedulingGate: Check<PodSchedulingGate> = (gate) => {
  const { name = '' } = gate.value
  gate.passOver('name')
  gate.invalidAll('', qualifiedNameProblems(name), name)
}

/** Of two constraints for the same areas and the same case the first is told. */
function checkSpreads(spec: Field<PodSpec>): void {
  const pair = '{topologyKey, whenUnsatisfiable}'
  const later = new Map<string, number>()
  const list = spec.value.topologySpreadConstraints ?? []
  const shown = list.map(
    ({ topologyKey = '', whenUnsatisfiable = '' }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
  )
  for (const text of shown) later.set(text, (later.get(text) ?? 0) + 1)
  for (const [at, text] of shown.entries()) {
    const left = (later.get(text) ?? 0) - 1
    later.set(text, left)
    if (left > 0) spec.duplicate(`topologySpreadConstraints[${at}].${pair}`, text)
  }
}

/** Each gate stands once; an error stands at the gate. */
function checkGates(spec: Field<PodSpec>): void {
  const names = new Set<string>()
  spec.visit('schedulingGates')
  spec.each('schedulingGates', (gate) => {
    gate.passOver('')
    gate.distinct('', names, gate.value.name ?? '')
  })
}

/** The condition that a readiness gate waits for. */
export const podReadinessGate: Check<PodReadinessGate> = (gate) => {
  const { conditionType = '' } = gate.value
  gate.invalidAll('conditionType', qualifiedNameProblems(conditionType), conditionType)
}

function checkContainers(spec: Field<PodSpec>, volumes: VolumesByName): void {
  const names = new Set<string>()
  spec.each('containers', (container) => {
    container.distinct('name', names)
    checkContainer(container, { role: 'regular', volumes })
  })
  spec.each('initContainers', (container) => {
    container.unique('name', names)
    checkContainer(container, { role: 'init', volumes })
  })
}

/** What public servers call sources of which there are several. */
const oddNames = new Map([
  ['cephfs', 'cephFS'],
  ['downwardAPI', 'downwarAPI'],
])

/** The sources in the order in which they count. */
const sources = (
  'emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker ' +
  'persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile vsphereVolume ' +
  'photonPersistentDisk portworxVolume azureDisk storageos projected scaleIO csi ephemeral'
).split(' ') as readonly (keyof Volume)[]

/** The volumes in which nothing is wrong. Of several sources each further one is Forbidden, and none of them is looked at. */
function checkVolumes(spec: Field<PodSpec>): VolumesByName {
  const sound = new Map<string | undefined, Loose<Volume>>()
  spec.each('volumes', (volume) => {
    const { name } = volume.value
    const faulty = volume.isFaulty(() => {
      checkSource(volume)
      volume.checkText('name', dnsLabelProblems)
      if (name && sound.has(name)) volume.duplicate('name')
    })
    if (!faulty) sound.set(name, volume.value)
  })
  return sound
}

function checkSource(volume: Field<Volume>): void {
  const [first, ...more] = sources.filter((source) => volume.value[source] !== undefined)
  volume.tellAt('gcePersistentDisk', volume, 'persistentDisk')
  for (const source of more) {
    volume.passOver(source)
    const told = oddNames.get(source) ?? source
    volume.forbidden(told as keyof Volume, 'may not specify more than 1 volume type')
  }
  if (first === 'gcePersistentDisk') volume.visitAs(first, 'persistentDisk')
  else if (first !== undefined) volume.with({ [first]: volume.value[first] }).visitAll()
}

/** On the network of the node a port is the same inside and outside; one that a template leaves out is filled in later. */
function checkHostNetwork(spec: Field<PodSpec>): void {
  spec.child('hostNetwork').afterwards(() =>
    spec.each('containers', (container) =>
      container.each('ports', (port) => {
        const { hostPort = 0, containerPort } = port.value
        if (hostPort === 0 || hostPort === containerPort) return
        port.invalid('hostPort', 'must match `containerPort` when `hostNetwork` is true')
      }),
    ),
  )
}

/** An empty policy is missing, not unknown. */
function checkPreemption(spec: Field<PodSpec>): void {
  if ((spec.value.preemptionPolicy as string | undefined) !== '') return
  spec.passOver('preemptionPolicy')
  spec.required('preemptionPolicy')
}

/** Two containers of a pod cannot have the same port of the node, unless they run one after the other. */
function checkHostPorts(spec: Field<PodSpec>): void {
  const taken = new Set<string>()
  spec.each('containers', (container) => checkPortsOf(container, taken))
  spec.each('initContainers', (container) => checkPortsOf(container, new Set()))
}

function checkPortsOf(container: Field<Container>, taken: Set<string>): void {
  container.each('ports', (port) => {
    const { hostPort, hostIP = '', protocol = 'TCP' } = port.value
    if (hostPort) port.unique('hostPort', taken, `${protocol}/${hostIP}/${hostPort}`)
  })
}
