/** Defaults of containers that follow from other fields. */
import type { Container as GeneratedContainer } from '../../../../generated/apis/core/v1/container.ts'
import { change, changeAll } from '../../../kernel/values/change.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'

type Container = Loose<GeneratedContainer>

/** Images that may change under the same name are pulled each time. */
export function withPullPolicy(container: Container): Container {
  if (container.imagePullPolicy !== undefined) return container
  return change(container, {
    imagePullPolicy: movable(container.image ?? '') ? 'Always' : 'IfNotPresent',
  })
}

/** True for the tag `latest`, and for neither tag nor digest, which means the same; not for what names no image. */
function movable(image: string): boolean {
  const [name = '', digest] = image.split('@', 2)
  const tagged = /:([^:/]*)$/.exec(name)
  const tag = tagged?.[1] ?? (digest === undefined ? 'latest' : '')
  return tag === 'latest' && isRepository(name.slice(0, tagged?.index))
}

/**
 * Parts of lower-case letters and digits, joined by separators, behind a host: a first part with a dot, port or capital. With the host
 * that is meant without one it has 255 characters at most.
 */
function isRepository(name: string): boolean {
  const parts = name.split('/')
  const [first = ''] = parts
  const hosted = parts.length > 1 && (/[.:A-Z]/.test(first) || first === 'localhost')
  const whole = hosted ? name : `docker.io/${parts.length === 1 ? 'library/' : ''}${name}`
  if (whole.length > 255 || (hosted && !isHost(first))) return false
  return parts.slice(hosted ? 1 : 0).every(isPart)
}

/** Words of letters, digits and hyphens inside, joined by dots, and perhaps a port. */
function isHost(text: string): boolean {
  const [host = '', port, ...more] = text.split(':')
  const named = host.split('.').every((word) => /^[A-Za-z0-9-]+$/.test(word) && !/^-|-$/.test(word))
  return named && more.length === 0 && (port === undefined || /^[0-9]+$/.test(port))
}

function isPart(part: string): boolean {
  return /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/.test(part)
}

/** A debugging container says where its last message is, like the others, whose schema has it as a default. */
export function withTermination(container: Container): Container {
  const { terminationMessagePath = '/dev/termination-log', terminationMessagePolicy = 'File' } =
    container
  return change(container, { terminationMessagePath, terminationMessagePolicy })
}

/** What is limited and not asked for is asked for up to the limit. */
export function withRequests(container: Container): Container {
  const { resources } = container
  const missing = Object.entries(resources?.limits ?? {}).filter(
    ([name]) => !Object.hasOwn(resources?.requests ?? {}, name),
  )
  if (missing.length === 0) return container
  const requests = { ...resources?.requests, ...Object.fromEntries(missing) }
  return { ...container, resources: { ...resources, requests } }
}

/** On the network of its node, a container's port is the node's port. */
export function withHostPorts(container: Container): Container {
  const ports = changeAll(container.ports, (port) =>
    port.hostPort || port.containerPort === undefined
      ? port
      : { ...port, hostPort: port.containerPort },
  )
  return change(container, { ports })
}

/** Every container changed by all of `steps`. */
export function eachContainer<L extends Loose<readonly GeneratedContainer[]> | undefined>(
  containers: L,
  ...steps: readonly ((container: Container) => Container)[]
): L {
  return changeAll(containers, (container) =>
    steps.reduce((current, step) => step(current), container),
  ) as L
}
