#!/usr/bin/env node
import { configKinds } from '../../generated/config.ts'
import { features } from '../../generated/features.ts'
import { options } from '../../generated/options/orch-apiserver.ts'
import { tree } from '../../generated/tree.ts'
import { run } from '../run.ts'
import { apiServer } from './apiserver.ts'

await run((terminal, signal) =>
  apiServer({ options, features, tree, configKinds }, terminal, signal),
)
