import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// Files are named by what they hold, so that browsers keep them; the document finds them below its <base>.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    outDir: 'dist',
    assetsDir: 'panel/assets',
    emptyOutDir: true,
    // Which files belong to which screen: the server names those of the one that is asked for.
    manifest: 'manifest.json',
    // What many screens share is one file: thirty small ones wait in line on a slow network.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 6 }] } } },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
})
