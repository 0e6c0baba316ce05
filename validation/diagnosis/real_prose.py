INTRODUCTION = ""


def findings(results):
    return []
