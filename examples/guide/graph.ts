import {
  controllerGraph,
  defineController,
  done,
  type KeyController,
  printGraph,
  writing,
} from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { services } from 'orch/generated/apis/core/v1/service'
import { serverController, sizeController } from './fields.ts'

/** Stamps each Service with the number of its ports: its own annotation wakes it again. */
export const stampController = defineController({
  name: 'stamp',
  for: services,
  writes: [writing(services, ['metadata.annotations[example.com/ports]'])],
  async reconcile({ metadata, spec }, { client }) {
    const annotations = { 'example.com/ports': String(spec?.ports?.length ?? 0) }
    await client.resource(services).mergePatch(metadata, { metadata: { annotations } })
    return done
  },
})

/** The same, woken by what it reads alone. */
export const quietController = defineController({
  ...stampController,
  scope: { fields: ['spec.ports'] },
})

/** Nothing wakes it: it was meant to watch. */
export const lostController: KeyController = {
  name: 'lost',
  reads: [configMaps],
  reconcile: async () => done,
}

/** What a test of an operator asks for: no controller that wakes itself without end, and none that nothing wakes. */
export function warnings(controllers: Parameters<typeof controllerGraph>[0]): readonly string[] {
  const { findings } = controllerGraph(controllers)
  return findings.filter(({ is }) => is === 'warning').map(({ message }) => message)
}

/** The controllers of the page about fields, as a flowchart. */
export function flowchart(): string {
  return printGraph(controllerGraph([serverController, sizeController]), 'mermaid')
}
