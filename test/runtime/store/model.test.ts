import { freshStores } from './drivers.ts'
import { storeModel } from './model.ts'

// A store in PostgreSQL takes half a second to make.
for (const [name, open] of freshStores) storeModel(name, open, name === 'postgres' ? 10 : 60)
