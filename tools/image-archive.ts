import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { arch } from 'node:os'
import { join } from 'node:path'

/** What an image starts. */
export interface ImageSettings {
  readonly Entrypoint: readonly string[]
  readonly Env?: readonly string[]
}

/** Writes an archive of the files below `root` as the image of that name, and gives its path. Needs `tar`. */
export function imageArchive(
  folder: string,
  name: string,
  root: string,
  settings: ImageSettings,
): string {
  const place = join(folder, createHash('sha256').update(name).digest('hex').slice(0, 12))
  const blobs = join(place, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const put = (bytes: Buffer) => {
    const digest = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(blobs, digest), bytes)
    return { digest: `sha256:${digest}`, size: bytes.length }
  }
  const putJson = (value: object) => put(Buffer.from(JSON.stringify(value)))
  const platform = { architecture: arch() === 'x64' ? 'amd64' : arch(), os: 'linux' }
  const files = ['-C', root, '--owner=0', '--group=0', '--numeric-owner', '-cf', '-', '.']
  const layer = put(execFileSync('tar', files, { maxBuffer: 2 ** 28 }))
  const config = putJson({
    ...{ ...platform, config: settings, rootfs: { type: 'layers', diff_ids: [layer.digest] } },
    history: [{ created_by: 'orch' }],
  })
  const kind = 'application/vnd.oci.image'
  const manifest = putJson({
    ...{ schemaVersion: 2, mediaType: `${kind}.manifest.v1+json` },
    config: { mediaType: `${kind}.config.v1+json`, ...config },
    layers: [{ mediaType: `${kind}.layer.v1.tar`, ...layer }],
  })
  const annotations = { 'io.containerd.image.name': name }
  const listed = { mediaType: `${kind}.manifest.v1+json`, ...manifest, annotations, platform }
  writeFileSync(
    join(place, 'index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [listed] }),
  )
  writeFileSync(join(place, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  const archive = `${place}.tar`
  execFileSync('tar', ['-C', place, '-cf', archive, 'oci-layout', 'index.json', 'blobs'])
  return archive
}
