"""The words of TOSCA: types, values, functions, and what a definition may say."""
