import type { Container, EphemeralContainer } from '../../../../generated/apis/core/v1/container.ts'
import { portNameProblems } from '../../../kernel/meta/ports.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import { checkDevices, checkMounts, type VolumesByName } from './container-volumes.ts'
import { checkProbes } from './probes.ts'

/** What a check of a container knows of its pod. */
export interface ContainerContext {
  readonly role: 'regular' | 'init' | 'ephemeral'
  readonly volumes: VolumesByName
}

/**
 * What a schema cannot say of one container.
 * The order of the calls is the order of the errors. Ephemeral containers come here without the
 * fields that they may not have.
 */
export function checkContainer(
  container: Field<Container> | Field<EphemeralContainer>,
  { role, volumes }: ContainerContext,
): void {
  const field = container as Field<Container>
  field.visit('name')
  if (!field.value.image) field.required('image')
  checkPorts(field)
  field.visit('env', 'envFrom')
  checkMounts(field, volumes)
  checkDevices(field, volumes)
  field.visit('resources', 'securityContext')
  if (role === 'regular' || (role === 'init' && field.value.restartPolicy === 'Always')) {
    field.visit('lifecycle')
    checkProbes(field)
  } else for (const key of ofRunning) field.passOver(key)
  checkRestartPolicy(field, role)
}

/** What only a container has that keeps running. */
const ofRunning = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const

/** What is asked of the image in a pod, and not yet in a template. */
export function checkPulledImage(container: Field<Container> | Field<EphemeralContainer>): void {
  const { image = '' } = container.value
  if (image === image.trim()) return
  container.invalid('image', 'must not have leading or trailing whitespace')
}

function checkPorts(container: Field<Container>): void {
  const names = new Set<string>()
  container.each('ports', (port) => {
    const problems = port.value.name ? portNameProblems(port.value.name) : []
    port.invalidAll('name', problems)
    if (problems.length === 0) port.unique('name', names)
  })
}

/** Only an init container may choose to keep running; only one that does has probes and hooks. */
function checkRestartPolicy(container: Field<Container>, role: ContainerContext['role']) {
  const { restartPolicy } = container.value
  if (role !== 'init') container.passOver('restartPolicy')
  if (role === 'regular' && restartPolicy !== undefined) {
    container.forbidden('restartPolicy', 'may not be set for non-init containers')
  }
  if (role !== 'init' || restartPolicy === 'Always') return
  for (const key of ofRunning) {
    if (container.value[key] === undefined) continue
    const why = 'may not be set for init containers without restartPolicy=Always'
    container.forbidden(key, why)
  }
}
