import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { secrets } from 'orch/generated/apis/core/v1/secret'
import type { ControlPlane } from 'orch/testing'

/** Secrets: how many, and how long the text of each value is. */
export interface Secrets {
  readonly objects: number
  readonly valueBytes: number
}

/** What the operator that looks at one field of them tells. */
export interface Projected {
  readonly cached: number
  readonly heapBytes: number
  readonly peakBytes: number
}

/** Creates the secrets, and the object that the operator is for. */
export async function createSecrets(
  plane: ControlPlane,
  { objects, valueBytes }: Secrets,
): Promise<void> {
  const maker = plane.as('maker')
  await maker.resource(configMaps).create({ metadata: { name: 'types' } })
  const data = { value: btoa('x'.repeat((valueBytes * 3) / 4)) }
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < objects)
      await maker.resource(secrets).create({ metadata: { name: `s${next++}` }, data })
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}
