import type { Scenario, Step } from '../scenario.ts'

/** A scenario in a namespace that no other knows: limits, quotas and names of others do not act on it. */
export function inOwnNamespace(
  parent: string,
  name: string,
  scenario: (namespace: string) => Scenario,
): Scenario {
  const namespace = `${parent}-${name}`
  const { steps, ...rest } = scenario(namespace)
  return { ...rest, steps: [creation(namespace), ...steps, ...removal(namespace)] }
}

const root = '/api/v1/namespaces'

/** Makes a namespace. */
export function creation(name: string): Step {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  return { method: 'POST', path: root, body, silent: true }
}

/** Ends a namespace. The reference may run without the controller that ends namespaces. */
export function removal(name: string): readonly Step[] {
  const path = `${root}/${name}`
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [] } }
  return [
    { method: 'DELETE', path, silent: true },
    { method: 'PUT', path: `${path}/finalize`, body, silent: true },
  ]
}
