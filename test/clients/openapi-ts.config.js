export default {
  output: { path: 'generated/hey-api', importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch'],
}
