import type { PodReadinessGate, PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { PodSchedulingGate } from '../../../../generated/apis/core/v1/scheduling.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import { dnsLabelProblems, qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import { checkContainer } from './container.ts'
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
  checkVolumes(spec)
  if (containers === null || containers?.length === 0) spec.required('containers')
  checkContainers(spec)
  checkEphemerals(spec)
  checkHostPorts(spec)
  spec.visit('nodeSelector', 'hostname', 'subdomain', 'nodeName', 'serviceAccountName')
  spec.visit(
    'priorityClassName',
    'schedulingGates',
    'readinessGates',
    'runtimeClassName',
    'overhead',
  )
  checkDns(spec)
  checkPodSecurity(spec)
  checkSystem(spec)
  checkHostProcess(spec)
  spec.visit('tolerations', 'topologySpreadConstraints', 'affinity')
}

/** The name of a scheduling gate; an error stands at the gate. */
export const podSchedulingGate: Check<PodSchedulingGate> = (gate) => {
  const { name = '' } = gate.value
  gate.invalidAll('', qualifiedNameProblems(name), name)
}

/** The condition that a readiness gate waits for. */
export const podReadinessGate: Check<PodReadinessGate> = (gate) => {
  const { conditionType = '' } = gate.value
  gate.invalidAll('conditionType', qualifiedNameProblems(conditionType), conditionType)
}

function checkContainers(spec: Field<PodSpec>): void {
  const volumes = new Map(spec.value.volumes?.map((volume) => [volume.name, volume]))
  const names = new Set<string>()
  for (const list of ['containers', 'initContainers'] as const) {
    const hostNetwork = list === 'containers' && spec.value.hostNetwork === true
    spec.each(list, (container) => {
      container.unique('name', names)
      checkContainer(container, { init: list === 'initContainers', hostNetwork, volumes })
    })
  }
}

/** What public servers call sources of which there are several. */
const oddNames = new Map([
  ['cephfs', 'cephFS'],
  ['downwardAPI', 'downwarAPI'],
])

/** Of several sources each further one is Forbidden, and none of them is looked at. */
function checkVolumes(spec: Field<PodSpec>): void {
  const names = new Set<string>()
  spec.each('volumes', (volume) => {
    const [, ...more] = Object.keys(volume.value).filter((key) => key !== 'name')
    volume.checkText('name', dnsLabelProblems)
    volume.unique('name', names)
    for (const source of more) {
      const told = oddNames.get(source) ?? source
      volume.forbidden(told as keyof Volume, 'may not specify more than 1 volume type')
    }
    if (more.length === 0) volume.visitAll()
  })
}

/** Two containers of a pod cannot have the same port of the node. */
function checkHostPorts(spec: Field<PodSpec>): void {
  const taken = new Set<string>()
  spec.each('containers', (container) =>
    container.each('ports', (port) => {
      const { hostPort, hostIP = '', protocol = 'TCP' } = port.value
      if (hostPort) port.unique('hostPort', taken, `${protocol}/${hostIP}/${hostPort}`)
    }),
  )
}
